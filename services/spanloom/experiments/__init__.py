"""Experiments: many runs judged by the same evaluators, in the background.

In: runs or items, and evaluators. Out: scores, and their summary. Start with ``service.py``;
``runner.py`` judges the runs in the background.
"""
