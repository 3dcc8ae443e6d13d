"""Traces of Snorkel: nested steps with metadata of plain values.

In: a stored run with its assessments, or a trace. Out: a trace, or a canonical document. Start
with ``writing.py`` and ``reading.py``; ``walking.py`` finds the nodes of a trace, ``nodes.py``
checks them by the published rules, ``times.py`` places steps in time, since a trace has only their
durations, and ``source.py`` keeps members that a document lacks, so that a trace is written as it
was read.
"""
