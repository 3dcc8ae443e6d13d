"""Texts inside the reprs of Python objects, which some instrumentations write for want of JSON."""

from __future__ import annotations

import ast
import re

import orjson

MAX_PARSED = 65_536
"""Longer texts are not parsed: Python's parser takes a hundred times their memory."""

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


def objects_as_json(text: str) -> str:
    """Give lists of objects that are written ``Class(field=value)`` as JSON of their fields.

    Other text, and what is written in another way (``<Class at 0x…>``), stays as it is.
    """
    if not text.startswith("[") or len(text) > MAX_PARSED:
        return text
    try:
        return orjson.dumps(_fields(ast.parse(text, mode="eval").body)).decode()
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text


def _fields(node: ast.expr) -> object:
    if isinstance(node, ast.List):
        return [_fields(item) for item in node.elts]
    if isinstance(node, ast.Call) and not node.args:
        return {str(field.arg): _fields(field.value) for field in node.keywords}
    return ast.literal_eval(node)
