"""Types that all evaluators share: errors, results, estimates, and views of a run.

In: nothing. Out: the types. Start with ``result.py``.
"""
