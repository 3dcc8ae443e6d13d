"""What dialects share for reading spans: values, nested text, messages, failures, run metadata.

Nothing here knows a dialect. ``bounds`` says how much of a text is parsed at all; ``values`` is the
one place where JSON is parsed.
"""
