"""Compiles RE2 patterns of rules and schemas, each once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.query import patterns

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_PATTERN = 1_000
"""Maximum characters of a pattern."""


@lru_cache(maxsize=1_024)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a function that tests a text for a match; raises ``ValueError`` for a bad pattern."""
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters")
    try:
        return patterns.compile_pattern(pattern)
    except ValueError as error:
        raise ValueError(f"{pattern[:80]!r} is no pattern of RE2: {error}") from None
