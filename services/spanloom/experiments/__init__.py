"""Experiments: many runs judged by the same evaluators, in the background.

In: runs or items, and evaluators. Out: scores, and their summary. Start with ``service.py``;
``runner.py`` is the component of the process that judges.
"""
