"""Experiments: many runs judged by the same evaluators, in the background.

In: what to judge, and by what. Out: scores, and what they come to. Start with ``keeping.py``; the
part of the process that judges is ``runner.py``.
"""
