"""One call, one step: several spans, or several traces, that report the same call.

Comes in: the normalized spans of a trace (``spans``), or the calls of two traces (``traces``).
Goes out: which span or run repeats which. Start with ``spans``.
"""
