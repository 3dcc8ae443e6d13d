"""Inspect's evaluation logs, version 2: a sample is a run.

Input: a stored run, or a log (JSON or ``.eval``). Output: a log, or canonical documents. Start with
``writing`` and ``reading``; ``messages`` converts messages, ``times`` times.
``docs/formats/inspect.md`` has the mapping, derived from the published schema of the log file.
"""
