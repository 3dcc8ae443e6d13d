"""What every evaluator has in common: its identity, what it reads, and the results it gives.

In: nothing. Out: the types that the kinds of evaluators share. Start with ``result.py``.
"""
