"""Texts inside the reprs of Python objects, which some instrumentations write for want of JSON."""

from __future__ import annotations

import ast
import re

import orjson

_LITERAL = re.compile(r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\"""", re.DOTALL)


def last_text(text: str, mark: str) -> str | None:
    """Give the string literal after the last ``mark``, or ``None`` if no whole one is there.

    A repr that was cut off in the middle tells nothing, so nothing is truncated silently.
    """
    return _text_at(text, text.rfind(mark), mark)


def first_text(text: str, mark: str) -> str | None:
    """Give the string literal after the first ``mark``, or ``None`` likewise."""
    return _text_at(text, text.find(mark), mark)


def _text_at(text: str, at: int, mark: str) -> str | None:
    found = _LITERAL.match(text, at + len(mark)) if at >= 0 else None
    if found is None:
        return None
    try:
        value = ast.literal_eval(found.group())
        value.encode()  # half a surrogate pair is no text that could be stored
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str) else None


def as_json(text: str) -> str:
    """Give lists and objects written out by Python as compact JSON; other text as it is."""
    if not text.startswith(("[", "{")):
        return text
    try:
        return orjson.dumps(ast.literal_eval(text)).decode()
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text
