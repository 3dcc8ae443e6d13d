"""Imports files that the API receives: a child process reads each file; spans are stored as usual.

Input: a file in chunks, and its format (``core/ports/importing.py``). Output: lines with the
state of the runs in the file. Start at ``importer.py``; a child process (``child.py``) reads the
file as ``spanloom import`` does, ``receiver.py`` passes its spans to the collector of this process.
"""
