"""Exchange with Potato: a separate GPL program, of which nothing is imported or copied here.

Input: documents and entries, or the files of a Potato project. Output: a task's files, or entries.
Start at ``folder.py`` (``TaskWriter`` and ``read_files``).
"""
