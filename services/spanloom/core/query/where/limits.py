"""Size limits of a ``where``, so that none keeps the store busy by its size alone."""

MAX_BYTES = 4096
"""Length of the text in UTF-8 bytes."""
MAX_DEPTH = 32
"""Depth of nested parentheses, ``not``, ``has`` and ``count`` included."""
MAX_COMPARISONS = 64
MAX_STEPS_IN_SHAPE = 6
"""The most steps in the shape of one ``has``."""
MAX_WITHIN = 1000
"""Steps after ``within``: the most repetitions that RE2 allows."""
MAX_VALUES = 200
"""Values in the list of one ``in``."""
MAX_REGEX_CHARS = 256
MAX_WORDS = 8
"""Words in one full text condition."""
