"""Build a trajectory from normalized spans, with pure functions that know no convention.

Input: the tree of a trace, and for each span its classification by a dialect and by
``duplicates``. Output: a trajectory. Start with ``build.py``, then read ``steps.py``, which decides
which spans are steps, and of which agent.
"""
