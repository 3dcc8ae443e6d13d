"""How large a ``where`` may be, so that none of them keeps the store busy by its size."""

MAX_BYTES = 4096
"""Of the text, in UTF-8."""
MAX_DEPTH = 32
"""Of parentheses in parentheses, ``not``, ``has`` and ``count`` included."""
MAX_COMPARISONS = 64
MAX_STEPS_IN_SHAPE = 6
"""Conditions between the links of one ``has``."""
MAX_WITHIN = 1000
"""Steps behind ``within``: RE2 repeats nothing more often."""
MAX_VALUES = 200
"""In the list of one ``in``."""
MAX_REGEX_CHARS = 256
MAX_WORDS = 8
"""Of one full text condition."""
