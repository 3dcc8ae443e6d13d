"""Parses reprs of Python objects, which some instrumentations write instead of JSON."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import orjson

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Callable


_QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
_CUT_OFF = r"(?P<cut>['\"].*+)"
"""An unclosed literal, tried after ``_QUOTED``. It matches the rest of the text, so that the end of
each quote inside is not searched again, which for 32 KB of ``\\'`` took two seconds."""
_LITERAL = re.compile(_QUOTED, re.DOTALL)
_NAME = r"(?<![\w.])[A-Za-z_][\w.]*+[=(]?"
_TOO_LARGE = r"(?<![\w.])\d{20}"
_ENUM = rf"<[A-Za-z_][\w.]*+: (?P<enum>{_QUOTED}|[\w.]++)>"
_OPAQUE = (
    rf"(?P<opaque>(?<![\w.])[A-Za-z_][\w.]*+\((?![\s)]|[A-Za-z_]\w*+=)"
    rf"(?:{_QUOTED}|[^()'\"]|\([^()'\"]*+\))*+\))"
)
"""A call with positional arguments, ``datetime.datetime(2026, 1, 1)``; its text is its value."""
_ADDRESS = r"(?P<address><[A-Za-z_][^<>'\"]*+>)"
"""``<openai.Omit object at 0x7f…>``, ``<dict len=10>``: the repr does not contain the value."""
_MESSAGE = re.compile(r"(?:System|Human|AI|Tool|Function)Message(?:Chunk)?\(")
"""LangChain's message classes; the class name is the role."""
_TOKEN = re.compile(
    rf"{_QUOTED}|{_CUT_OFF}|{_ENUM}|{_ADDRESS}|{_OPAQUE}|{_NAME}|\(|,\s*+[)\]}}]|\)|{_TOO_LARGE}",
    re.DOTALL,
)
"""Tokens that JSON writes differently; other numbers, brackets and commas are the same."""
_WORDS = {
    "None": "null",
    "True": "true",
    "False": "false",
    "NaN": "null",
    "Infinity": "null",
    "true": "true",
    "false": "false",
    "null": "null",
}
_NO_JSON = "!"
"""Replaces tokens that JSON cannot express, to make parsing fail."""


def last_text(text: str, mark: str) -> str | None:
    """Return the string literal after the last ``mark``; ``None`` if there is no complete one.

    A mark inside a literal is part of the text: ``Part(text="say text='no'")`` has one literal.
    Return ``None`` if the repr was cut off inside the literal, so that no text is silently cut.
    """
    marks = re.compile(rf"{_QUOTED}|{_CUT_OFF}|(?P<mark>{re.escape(mark)})", re.DOTALL)
    starts = [each.start() for each in marks.finditer(text) if each["mark"]]
    return _text_at(text, starts[-1] if starts else -1, mark)


def without_literals(text: str) -> str:
    """Return a repr without its string literals, up to a literal that is cut off."""
    return re.sub(rf"{_QUOTED}|{_CUT_OFF}", "", text, flags=re.DOTALL)


def first_text(text: str, mark: str) -> str | None:
    """Return the string literal directly after the first ``mark``, or ``None``.

    Only the first mark is tried. ``None`` if there is no mark, or if no complete literal follows
    it.
    """
    return _text_at(text, text.find(mark), mark)


def _text_at(text: str, at: int, mark: str) -> str | None:
    literal = _LITERAL.match(text, at + len(mark)) if at >= 0 else None
    return None if literal is None else _unquote(literal.group())


def _unquote(literal: str) -> str | None:
    """Return the text of a string literal; ``None`` if it is invalid or cannot be stored."""
    if "\\" not in literal and "\n" not in literal and "\0" not in literal:
        return literal[1:-1]
    try:
        value = ast.literal_eval(literal)
        value.encode()  # a lone surrogate cannot be stored
    except (ValueError, SyntaxError):
        return None
    return value if isinstance(value, str) else None


def as_json(text: str) -> str:
    """Return Python's ``{'a': None}`` as JSON, ``{"a":null}``; return other text unchanged."""
    return _rewritten(text, _Rewriter(may_call=False)) if text.startswith(("[", "{")) else text


def objects_as_json(text: str, *, may_omit: bool = False) -> str:
    """Return a list of ``Class(field=value)`` objects as JSON of their fields.

    Return other text unchanged. With ``may_omit``, values that the repr does not contain
    (``<Class at 0x…>``) are accepted too.
    """
    if not text.startswith("["):
        return text
    return _rewritten(text, _Rewriter(may_call=True, may_omit=may_omit))


def fields_as_json(text: str) -> str:
    """Return pydantic's text of an object, ``content='hi' id='1'``, as a JSON list of one object.

    Return other text unchanged.
    """
    fields = json_value(
        _TOKEN.sub(_Rewriter(may_call=True, may_omit=True, is_spaced=True), f"[X({text})]")
    )
    return text if isinstance(fields, str) else orjson.dumps(fields).decode()


def _rewritten(text: str, rewrite: Callable[[re.Match[str]], str]) -> str:
    value = json_value(_TOKEN.sub(rewrite, text))
    return text if isinstance(value, str) else orjson.dumps(value).decode()


def _literal(text: str) -> str:
    value = _unquote(text)
    return _NO_JSON if value is None else orjson.dumps(value).decode()


class _Rewriter:
    """Rewrites each token of a repr as JSON; tracks which bracket a ``)`` closes."""

    def __init__(self, *, may_call: bool, may_omit: bool = False, is_spaced: bool = False) -> None:
        self._may_call = may_call
        self._may_omit = may_omit
        self._is_spaced = is_spaced
        self._has_field = False
        self._closers: list[str] = []
        self._by_end = {")": self._close, "(": self._open, "=": self._field}

    def __call__(self, token: re.Match[str]) -> str:
        text = token.group()
        if token.lastgroup is not None:
            return self._special(token)
        if text[0] in "'\"":
            return _literal(text)
        if text[0] == "," and text[-1] != ")":
            return text[-1]
        handler = self._by_end.get(text[-1])
        return _WORDS.get(text, _NO_JSON) if handler is None else handler(text)

    def _special(self, token: re.Match[str]) -> str:
        """Return an object's token as JSON: an enum's value, null for an address, else its text."""
        if token["cut"] or not self._may_call:
            return _NO_JSON
        if enum := token["enum"]:
            return _literal(enum if enum[0] in "'\"" else f"'{enum}'")
        if token["address"]:
            return "null" if self._may_omit else _NO_JSON
        return orjson.dumps(token.group()).decode()

    def _close(self, _: str) -> str:
        return self._closers.pop() if self._closers else _NO_JSON

    def _open(self, text: str) -> str:
        is_tuple = text == "("
        if not is_tuple and not self._may_call:
            return _NO_JSON
        self._closers.append("]" if is_tuple else "}")
        if _MESSAGE.fullmatch(text):
            return f'{{"type":"{text[:-1]}",'
        return "[" if is_tuple else "{"

    def _field(self, text: str) -> str:
        """Return a field's name as a JSON key, after a comma if only spaces separate fields."""
        if not self._may_call:
            return _NO_JSON
        name = text[:-1]
        is_next = self._is_spaced and len(self._closers) == 1 and self._has_field
        self._has_field = self._has_field or len(self._closers) == 1
        return f'{"," if is_next else ""}"{name}":'
