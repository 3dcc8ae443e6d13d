"""Coze Loop: trajectories in two forms, and items of evaluation sets.

Coze Loop's published builder makes trajectories in one form, its documentation shows the other.
Input: a stored run, or a trajectory or item from Coze Loop. Output: a trajectory, an item, or a
canonical document. Start with ``builder.py`` and ``example.py``, which write a run in one form
each; ``dataset.py``, which writes and reads items; and ``reading.py``, which reads both forms:
``steps.py`` finds the steps, ``members.py`` reads their values, ``totals.py`` compares totals.
"""
