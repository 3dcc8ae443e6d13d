"""MLflow traces: written in version 3; read in versions 2, 3, 4 and the mix of MLflow 3.5.

Input: a stored run, or traces and rows with their assessments. Output: a trace, or canonical
documents and scores. Start with ``writer.py`` and ``reader.py``; the spans are in ``spans_out.py``
and ``spans_in.py``.
"""
