"""Items for annotation tasks in Potato: a run as the list of steps that people judge.

Input: a stored run, or the items of a task. Output: an item and the configuration of its task, or a
canonical document. Start with ``writing.py`` and ``reading.py``. ``core/annotation/potato`` reads
the annotations in Potato's files.
"""
