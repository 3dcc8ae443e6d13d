"""The HTML export: a run or a conversation as one self-contained file without scripts.

Input: canonical documents; for a conversation also the list's summary of each run.
Output: HTML, for a conversation in chunks; long texts and long runs are cut, with a note.
Start with ``page.py``; ``steps.py`` and ``texts.py`` write the contents.
"""
