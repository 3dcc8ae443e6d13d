"""The HTML export: a run or a conversation as one self-contained file without scripts.

In: canonical documents; for a conversation also the list's summary of each run.
Out: HTML, piece by piece for a conversation; long texts and long runs are cut, with a note.
Start with ``page``; ``steps`` and ``texts`` write the contents.
"""
