"""Inspect's evaluation logs, version 2: a sample is a run.

In: a stored run, or a log (JSON or ``.eval``). Out: a log, or canonical documents. Start with
``writer`` and ``reader``; ``messages`` converts messages, ``times`` times.
``docs/formats/inspect.md`` has the mapping, made from the published schema of the log file.
"""
