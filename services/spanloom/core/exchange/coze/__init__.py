"""Coze Loop: trajectories of its builder and of its documentation, and items of evaluation sets.

``builder.py`` and ``example.py`` write one run, ``dataset.py`` writes an item and reads one.
``reading.py`` reads a run in either form: ``steps.py`` finds its steps, ``members.py`` reads their
values, ``totals.py`` settles sums. ``shapes.py`` tells the forms apart.
"""
