"""Traces in Snorkel's format: nested steps, whose metadata has only plain values.

Input: a stored run with its assessments, or a Snorkel trace. Output: a Snorkel trace, or a
canonical document. Start with ``writing.py`` and ``reading.py``. ``walking.py`` finds the nodes in
a trace, ``nodes.py`` checks them by the published rules, ``times.py`` computes start times, because
a trace has only durations, and ``source.py`` stores members that a document lacks, so that a trace
can be reproduced.
"""
