"""Potato's instances: a run as the list of its steps that people judge.

Input: a stored run, or the items of a task. Output: an item with its configuration file, or a
canonical document. Start with ``writing`` and ``reading``. Annotations in Potato's files are read
by ``core/annotation/potato``.
"""
