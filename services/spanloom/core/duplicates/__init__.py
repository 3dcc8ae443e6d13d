"""Finds duplicates: several spans, or several traces, that report the same call.

Input: the normalized spans of a trace (``spans.py``), or the calls of two traces (``traces.py``).
Output: for each duplicate, the span or run that it repeats. Start with ``spans.py``.
"""
