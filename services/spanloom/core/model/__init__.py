"""Value types shared by the whole code: spans, trajectories, annotations, scores, keys.

These modules do no input or output. Each has the types of one subject, with methods that compute
from their own values only. Start with ``span.py``, ``step.py`` and ``trajectory.py``.
"""
