"""Potato's instances: a run as the list of its steps that people judge.

In: a stored run, or the items of a task. Out: an item, the configuration beside it, or a canonical
document. Annotations in Potato's files are read by ``core/annotation/potato``.
"""
