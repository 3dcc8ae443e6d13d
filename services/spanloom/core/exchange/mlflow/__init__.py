"""MLflow traces: written in version 3; read in versions 2, 3, 4 and the mixed form of MLflow 3.5.

Input: a stored run, or traces and rows with assessments. Output: a trace, or canonical documents
and scores. Start with ``writer.py`` and ``reader.py``; ``spans_out.py`` writes spans, and
``spans_in.py`` reads them.
"""
