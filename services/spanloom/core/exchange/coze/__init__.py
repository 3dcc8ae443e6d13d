"""Coze Loop: trajectories of its builder and of its documentation, and items of evaluation sets.

Input: a stored run, or a trajectory or an item of Coze Loop. Output: a trajectory, an item, or a
canonical document. Start with ``builder.py`` and ``example.py``, which write a run, ``dataset.py``,
which writes and reads items, and ``reading.py``, which reads a run in either form: ``steps.py``
finds its steps, ``members.py`` reads their values, ``totals.py`` compares totals.
"""
