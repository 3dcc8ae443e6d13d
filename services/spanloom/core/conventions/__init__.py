"""Reads spans in ways that several dialects share: messages, failures, pauses, run context.

Input: a span with its trace (``view``). Output: facts that a dialect puts into a normalized span.
These modules depend on no dialect. Start with ``genai.py``.
"""
