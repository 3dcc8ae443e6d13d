"""Translates short forms, as typed in the search box, to a ``where``.

``type:tool name:search tokens>10k -is:annotated`` → ``has(type = tool and name = "search") and
tokens > 10000 and not annotated``. A line that is already a ``where`` keeps its meaning. Start with
``spell``.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.core.query.where.reader import JOINING, MAX_DEPTH
from spanloom.core.query.where.short_terms import Is, Term, split_terms
from spanloom.core.query.where.tree import calculates
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.where.fields import Field

_ALIASES = {"errors": "failures", "meta": "metadata"}
_ERROR = "error"
_ID = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)
_NAME = re.compile(r"\w+", re.ASCII)
_FLAGS = {f.name for f in (*RUN_FIELDS.values(), *STEP_FIELDS.values()) if f.type is FieldType.FLAG}
_NAMES = {*RUN_FIELDS, *STEP_FIELDS}


def spell(line: str, depth: int = 0) -> str:
    """Return the ``where`` for a line with short forms.

    A line that cannot be split into terms, and words that name no field, stay as they are, so that
    parsing the ``where`` reports their problems and positions.
    """
    if _calculates(line):
        return line.strip()
    terms = split_terms(line) if depth <= MAX_DEPTH else None
    if terms is None or _is_prose(terms):
        return line.strip()
    return _WhereBuilder(depth).of(terms)


def _calculates(line: str) -> bool:
    """Return whether a line is a ``where`` with arithmetic signs, which are not short forms."""
    if not any(sign in line for sign in JOINING):
        return False
    try:
        return calculates(parse_where(line, now_ns=0))
    except InvalidWhereError:
        return False


def _is_prose(terms: Sequence[Term]) -> bool:
    """Return whether all terms are words, some of them possibly keywords: ``this and that``."""
    keywords = [term.kind in (Is.AND, Is.OR, Is.NOT) for term in terms]
    words = [
        term.kind is Is.BARE and term.text not in _FLAGS and not _ID.fullmatch(term.text)
        for term in terms
    ]
    return any(keywords) and any(words) and all(map(any, zip(words, keywords, strict=True)))


def _is_word(term: Term) -> bool:
    """Return whether a term is a word for full-text search, together with adjacent words."""
    return term.kind is Is.BARE and not term.is_denied and not _ID.fullmatch(term.text)


class _Step:
    """Collects the conditions on one step."""

    def __init__(self, place: int) -> None:
        self.place = place
        """The index, among the parts of the ``where``, of the ``has`` for this step."""
        self.names: set[str] = set()
        self.conditions: list[str] = []


class _WhereBuilder:
    """Builds a ``where`` from terms."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        """The number of parentheses around these terms."""
        self._parts: list[str] = []
        self._step: _Step | None = None

    def of(self, terms: Sequence[Term]) -> str:
        """Return the ``where`` for a sequence of terms."""
        at = 0
        while at < len(terms):
            at = self._take(terms, at)
        before = "or"
        texts = []
        for part in self._parts:
            texts.append(f"and {part}" if "or" not in (part, before) else part)
            before = part
        return " ".join(texts)

    def _take(self, terms: Sequence[Term], at: int) -> int:
        """Consume the term at an index, with adjacent words if it is one; return the next index."""
        term = terms[at]
        if _is_word(term):
            return self._take_words(terms, at)
        if term.kind is Is.OR:
            self._parts.append("or")
            self._step = None
        elif term.kind is Is.NOT:
            denied = terms[at + 1] if at + 1 < len(terms) else term
            self._parts.append(f"not {_of_term(denied, self._depth)}")
            return at + 2
        elif term.kind is not Is.AND and not self._takes_step(term):
            self._parts.append(self._of(term))
        return at + 1

    def _of(self, term: Term) -> str:
        text = _of_term(term, self._depth)
        return f"not {text}" if term.is_denied else text

    def _takes_step(self, term: Term) -> bool:
        """Add a term to the current step if it is a condition on steps; return whether it is.

        A repeated field starts another step.
        """
        condition = None if term.is_denied else _of_step(term)
        if condition is None:
            return False
        if self._step is None or term.name in self._step.names:
            self._step = _Step(len(self._parts))
            self._parts.append("")
        self._step.names.add(term.name)
        self._step.conditions.append(condition)
        self._parts[self._step.place] = f"has({' and '.join(self._step.conditions)})"
        return True

    def _take_words(self, terms: Sequence[Term], at: int) -> int:
        """Consume adjacent words, which are all flags, or are all searched for together.

        Return the next index.
        """
        words = [term.text for term in takewhile(_is_word, terms[at:])]
        if words == [_ERROR]:
            self._add_error()
        elif all(_is_flag(word) for word in words) or (len(words) == 1 and _is_name(words[0])):
            self._parts += words
        else:
            self._parts.append(quoted(" ".join(words)))
        return at + len(words)

    def _add_error(self) -> None:
        """Add the flag ``error`` to the preceding step, or to the run if there is no such step."""
        if self._step is None or _ERROR in self._step.names:
            self._parts.append("has_error")
            return
        self._step.names.add(_ERROR)
        self._step.conditions.append(_ERROR)
        self._parts[self._step.place] = f"has({' and '.join(self._step.conditions)})"


def _of_term(term: Term, depth: int) -> str:
    match term.kind:
        case Is.INSIDE:
            return f"({spell(term.text, depth + 1)})"
        case Is.STATE:
            return _of_state(term.text)
        case Is.COMPARE:
            return _of_comparison(term)
        case Is.BARE if _ID.fullmatch(term.text):
            return f"trace_id = {quoted(term.text.lower())}"
        case Is.BARE if not _is_name(term.text):
            return quoted(term.text)
    return "has_error" if term.text == _ERROR else term.text


def _of_comparison(term: Term) -> str:
    if (condition := _of_step(term)) is not None:
        return f"has({condition})"
    name = _ALIASES.get(term.name, term.name)
    return written(term._replace(name=name), RUN_FIELDS.get(name))


def _of_step(term: Term) -> str | None:
    """Return a term as a condition on a step; ``None`` if it is not a condition on steps."""
    if term.kind is not Is.COMPARE:
        return None
    if term.name == "error" and not term.key and re.fullmatch(r"\d+", term.value, re.ASCII):
        return written(term._replace(name="error_code"), STEP_FIELDS["error_code"])
    name = _ALIASES.get(term.name, term.name)
    if name in RUN_FIELDS or name not in STEP_FIELDS:
        return None
    return written(term, STEP_FIELDS[name])


def _of_state(text: str) -> str:
    """Translate the word after ``is:``: ``live`` to ``status = live``, ``error`` to ``has_error``.

    Any other word is a flag and stays unchanged.
    """
    if text == _ERROR:
        return "has_error"
    choices = (name for name in ("outcome", "status") if text in RUN_FIELDS[name].choices)
    choice = next(choices, None)
    return f"{choice} = {text}" if choice and text not in RUN_FIELDS else text


def _is_flag(word: str) -> bool:
    return word in RUN_FIELDS and RUN_FIELDS[word].type is FieldType.FLAG


def _is_name(text: str) -> bool:
    """Return whether a word is the name of a field, possibly misspelled."""
    if not _NAME.fullmatch(text):
        return False
    return any(resembles(text.lower(), name, len(text) // 5) for name in _NAMES)


_TIMES = {"k": 10**3, "m": 10**6, "g": 10**9}
_PLAIN = re.compile(r"([\"']?)([-\w.]+)\1", re.ASCII)
_MANY = re.compile(r"(-?\d+(?:\.\d+)?)([kmg])", re.IGNORECASE | re.ASCII)
_AGO = re.compile(r"-?\d+[a-z]+", re.IGNORECASE | re.ASCII)


def written(term: Term, field: Field | None) -> str:
    """Return a term in the syntax of ``where``; ``field`` is ``None`` if its name is unknown."""
    is_words = field is None or field.type is FieldType.WORDS
    sign = "=" if term.operator == ":" and not is_words else term.operator
    value = _value_of(term.value, field.type if field else FieldType.TEXT)
    return f"{term.name}{term.key}{'' if sign == ':' else ' '}{sign} {value}"


def quoted(text: str) -> str:
    """Return a text quoted as in a ``where``."""
    escaped = re.sub(r'[\\"]', r"\\\g<0>", text).replace("\n", "\\n")
    return f'"{escaped}"'


def _value_of(value: str, kind: FieldType) -> str:
    """Return a value as written in a ``where``: only texts and points in time are quoted."""
    is_quoted = value[0] in "\"'"
    if kind in (FieldType.TEXT, FieldType.WORDS):
        return value if is_quoted else quoted(value)
    if kind is FieldType.TIME:
        return value if is_quoted or _AGO.fullmatch(value) else quoted(value)
    plain = _PLAIN.fullmatch(value)
    if plain and kind in (FieldType.INTEGER, FieldType.NUMBER):
        return _number(plain[2])
    return plain[2] if plain else value if is_quoted else quoted(value)


def _number(text: str) -> str:
    many = _MANY.fullmatch(text)
    if many is None:
        return text
    number = round(float(many[1]) * _TIMES[many[2].lower()], 6)
    return str(int(number)) if number.is_integer() else str(number)


def resembles(word: str, other: str, most: int) -> bool:
    """Return whether at most ``most`` letters differ: ``durtion`` and ``duration`` by one."""
    if abs(len(word) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        following = [at]
        for to, wanted in enumerate(other, 1):
            exchanged = row[to - 1] + (letter != wanted)
            following.append(min(row[to] + 1, following[to - 1] + 1, exchanged))
        row = following
    return row[-1] <= most
