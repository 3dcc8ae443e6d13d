"""What several dialects share for reading spans: messages, failures, pauses, run context.

Comes in: a span with its trace (``view``). Goes out: facts that a dialect puts into a normalized
span. Nothing here knows a dialect; start with ``genai``.
"""
