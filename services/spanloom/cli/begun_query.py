"""Completion of an unfinished ``where``: what can come next, even if the text has errors.

::

    has_error and du                  a field of runs that begins with `du`
    has(tool = "se                    a value of the step field `tool` that begins with `se`
    status in (live, se               one of the choices of `status`
    has(error) a                      `and`
    output_tokens / in                a field of runs that begins with `in`
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.reader import JOINING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))|(?P<name>-?\w+)|"""
    r"""(?P<sign><=|>=|!=|!~|[=<>~:(),.+\-*/])|(?P<other>\S)""",
    re.VERBOSE | re.DOTALL,
)
_COMPARING = frozenset({"=", "!=", "<", "<=", ">", ">=", "~", "!~", ":"})
_BEFORE_A_FIELD = frozenset({"and", "or", "not", "then", "next", "under", "of", "(", *JOINING})
RUNS, STEPS = "trajectories", "steps"


class Place(Enum):
    """The kind of token that can come at the end of an unfinished query."""

    FIELD = "field"
    VALUE = "value"
    OPERATOR = "operator"
    """After a field: a sign, ``in``, ``exists``; after a flag also a conjunction."""
    LINK = "link"
    """After a condition: ``and``, ``or``, and between steps also ``then`` and others."""


class Begun(NamedTuple):
    """An unfinished query, split at the word to complete."""

    prefix: str
    """The text that stays unchanged."""
    part: str
    """The beginning of a word, including its quote; empty after a blank or a sign."""
    place: Place
    of: str
    """``trajectories``, or ``steps`` inside ``has`` and ``count``."""
    field: str = ""
    """The field whose value or operator comes next; empty for the value of a ``count``."""


class _Word(NamedTuple):
    text: str
    start: int
    is_sign: bool


def read_begun(text: str, of: str = RUNS) -> Begun:
    """Parse an unfinished query; ``of`` is its subject outside ``has`` and ``count``."""
    words = list(_words(text))
    part = words.pop().text if words and _is_open(words[-1], text) else ""
    prefix = text[: len(text) - len(part)]
    subject, field = _around(words, of)
    last = words[-1].text if words else "("
    if field or last in _COMPARING:
        return Begun(prefix, part, Place.VALUE, subject, field)
    if last.lower() in _BEFORE_A_FIELD:
        return Begun(prefix, part, Place.FIELD, subject)
    if _is_field(words):
        return Begun(prefix, part, Place.OPERATOR, subject, last)
    return Begun(prefix, part, Place.LINK, subject)


def begins(word: str, part: str) -> bool:
    """Return whether a word begins with ``part``; a value may lack its opening quote."""
    return word.startswith(part) or (word[:1] in ("'", '"') and word[1:].startswith(part))


def quoted(value: str, quote: str) -> str:
    """Return a text as a literal of a query, escaped, in the given kind of quotes."""
    inner = json.dumps(value, ensure_ascii=False)[1:-1]
    if quote == "'":
        inner = inner.replace('\\"', '"').replace("'", "\\'")
    return f"{quote}{inner}{quote}"


def _words(text: str) -> Iterator[_Word]:
    for found in _WORD.finditer(text):
        yield _Word(found.group(), found.start(), found.lastgroup in ("sign", "other"))


def _is_open(word: _Word, text: str) -> bool:
    """Return whether the text ends within a word that may be unfinished."""
    return not word.is_sign and word.start + len(word.text) == len(text)


def _around(words: list[_Word], of: str) -> tuple[str, str]:
    """Return the subject at the end of the words, and the field whose value comes next, if any."""
    open_ones = [(of, "")]
    for at, word in enumerate(words):
        if word.text == "(":
            before = words[at - 1].text.lower() if at else ""
            inner = STEPS if before in ("has", "count") else open_ones[-1][0]
            open_ones.append((inner, _compared(words[: at - 1]) if before == "in" else ""))
        elif word.text == ")" and len(open_ones) > 1:
            open_ones.pop()
    subject, listed = open_ones[-1]
    if words and words[-1].text in _COMPARING:
        return subject, _compared(words[:-1])
    return subject, listed if words and words[-1].text in ("(", ",") else ""


def _compared(words: list[_Word]) -> str:
    """Return the field name at the end of the words, ignoring the ``not`` of ``not in``."""
    if words and words[-1].text.lower() == "not":
        words = words[:-1]
    return words[-1].text if words and not words[-1].is_sign else ""


def _is_field(words: list[_Word]) -> bool:
    """Return whether the last word is a field that has no operator yet."""
    before = words[-2].text.lower() if len(words) > 1 else "("
    return not words[-1].is_sign and before in _BEFORE_A_FIELD
