"""Find duplicates: several spans, or several traces, that report the same call.

Input: the normalized spans of a trace (``spans.py``), or the calls of two traces (``traces.py``).
Output: which span or run repeats which. Start with ``spans.py``.
"""
