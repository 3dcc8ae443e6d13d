"""Full-text search in the inputs, outputs and errors of steps.

In: words and phrases, with filters of runs. Out: hits, newest run first. Start at ``search.py``.
"""
