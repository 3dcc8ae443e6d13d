"""Traces of Snorkel: nested steps with metadata of plain values.

Input: a stored run with its assessments, or a trace. Output: a trace, or a canonical document.
Start with ``writing.py`` and ``reading.py``; ``walking.py`` finds the nodes of a trace,
``nodes.py`` checks them by the published rules, ``times.py`` computes start times, since a trace
has only durations, and ``source.py`` stores members that a document lacks, so that a trace can be
reproduced.
"""
