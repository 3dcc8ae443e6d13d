"""Evaluation logs of Inspect, version 2, in which each sample is a run.

Input: a stored run, or a log (JSON or ``.eval``). Output: a log, or canonical documents. Start with
``writing.py`` and ``reading.py``; ``messages.py`` converts messages, ``times.py`` times and token
counts. ``docs/formats/inspect.md`` has the mapping, derived from the published schema of logs.
"""
