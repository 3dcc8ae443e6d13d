"""Traces of Snorkel: nested steps with metadata of plain values.

``writing.py`` writes a run, with or without assessments. ``reading.py`` reads a trace; its nodes
are found by ``walking.py`` and checked by the published rules in ``nodes.py``. ``times.py`` places
steps in time, since a trace has only their durations. ``source.py`` keeps members of a trace that
a document lacks, so that it is written as it was read.
"""
