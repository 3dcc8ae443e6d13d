"""Find duplicates: several spans, or several traces, that report the same call.

Input: the normalized spans of a trace (``spans``), or the calls of two traces (``traces``).
Output: which span or run repeats which. Start with ``spans``.
"""
