"""Imports of files by the API: read in a process of their own, stored like any other spans.

In: a file in chunks, and its format (``core/ports/importing.py``). Out: lines with the state of its
runs. Start at ``importer.py``; a child process (``child.py``) reads the file as ``spanloom import``
does, ``receiver.py`` passes its spans to the collector of this process.
"""
