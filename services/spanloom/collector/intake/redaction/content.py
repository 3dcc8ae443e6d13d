"""The ``no-content`` filter: removes all content from spans except their structure.

``structure.toml`` lists the attributes that count as structure.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from spanloom.collector.intake.redaction.rules import Action, Place, one_pattern
from spanloom.collector.intake.redaction.values import (
    Plain,
    UnreadableJsonError,
    read_json,
    write_json,
)
from spanloom.collector.intake.redaction.walk import GONE
from spanloom.core.conventions.failures import STATUS_CODE
from spanloom.core.values.python_repr import as_json

if TYPE_CHECKING:
    from spanloom.collector.intake.redaction.walk import Gone, Matches


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JsonStructure(_Read):
    """Fields and texts in JSON values that are stored; ``structure.toml`` explains each list."""

    counts: frozenset[str]
    named: frozenset[str]
    ids: frozenset[str]
    words: frozenset[str]
    fields_alone: frozenset[str] = Field(alias="fields")

    @property
    def fields(self) -> frozenset[str]:
        """The names of all stored fields."""
        return self.counts | self.named | self.fields_alone


class Structure(_Read):
    """Patterns for the attribute keys and event names that are stored, and the rules for JSON."""

    events: tuple[str, ...]
    numbers: tuple[str, ...]
    failures: tuple[str, ...]
    content: tuple[str, ...]
    by_sender: dict[str, tuple[str, ...]] = Field(alias="structure")
    json_structure: JsonStructure = Field(alias="json")

    @property
    def kept(self) -> tuple[str, ...]:
        """The patterns of all attributes that are stored unchanged."""
        return tuple(chain.from_iterable(self.by_sender.values()))


class Keys(NamedTuple):
    """A regular expression for each list of attribute keys; ``events`` matches event names."""

    structure: re.Pattern[str]
    numbers: re.Pattern[str]
    failures: re.Pattern[str]
    content: re.Pattern[str]
    events: re.Pattern[str]


@cache
def read_keys() -> Keys:
    """Return the regular expressions for attributes and events; compiled once, in 0.1 s."""
    read = read_structure()
    lists = read.kept, read.numbers, read.failures, read.content, read.events
    return Keys(*map(one_pattern, lists))


@cache
def read_structure() -> Structure:
    """Return the parsed ``structure.toml``; raises ``ValueError`` if it is invalid."""
    text = files(__package__).joinpath("structure.toml").read_text(encoding="utf-8")
    return Structure.model_validate(tomllib.loads(text))


RULE = "no-content"
LONGEST_NAME = 512
"""Maximum length, in characters, of a name, model or identifier; a longer text is content."""
_MAX_DEPTH = 40
_RAISED = re.compile(
    r"((?:[\w.]{1,200}\.)?\w{0,60}(?:Error|Exception|Interrupt|Command))(?:\(|:|$)"
)
_PAUSE = re.compile(r"interrupt signal: ID=|interrupt happened, info: ")
_PLACEHOLDER = re.compile(r"\[not stored:[0-9a-f]{8}\]")
_ID = re.compile(r"(?:resp|chatcmpl|msg|call|rs|run|gen)[-_][\w-]{1,100}")
_DECIMAL = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,3})?|True|False")
"""Matches a number or boolean in a text, because some senders write counts as texts."""


class NoContent:
    """A ``Filter`` that removes all content; stateless."""

    def __init__(self, secret: bytes) -> None:
        """Set the secret key for the short hashes that replace texts; equal texts hash equally."""
        self._secret = secret
        self._keys, self._json = read_keys(), read_structure().json_structure
        self._fields = self._json.fields

    def value(self, _place: Place, key: str, value: Plain, matches: Matches) -> Plain | Gone:
        """Return an attribute's value reduced to its structure; ``GONE`` if it has none."""
        if _matches(self._keys.structure, key) and _is_name(value):
            return value
        if _matches(self._keys.numbers, key) and _DECIMAL.fullmatch(str(value)):
            return value
        structure: Plain | Gone = GONE
        if _matches(self._keys.failures, key):
            structure = describe_failure(value) if isinstance(value, str) else GONE
        elif _matches(self._keys.content, key):
            structure = self._skeleton(value)
        if structure != value:
            matches[RULE, Action.DROP] += 1
        return structure

    def text(self, place: Place, text: str, matches: Matches) -> str:
        """Return names unchanged; reduce a status message to the error's class and code."""
        if not text or (place is Place.NAMES and len(text) <= LONGEST_NAME):
            return text
        structure = describe_failure(text) if place is Place.STATUS else ""
        if structure != text:
            matches[RULE, Action.DROP] += 1
        return structure

    def note(self, matches: Matches, count: int) -> None:
        """Add ``count`` items that the caller removed to the matches."""
        matches[RULE, Action.DROP] += count

    def event(self, name: str) -> bool:
        """Return whether an event of this name is stored."""
        return self._keys.events.match(name) is not None

    def _skeleton(self, value: Plain) -> Plain:
        if isinstance(value, str):
            try:
                read = read_json(value) or read_json(as_json(value))
            except UnreadableJsonError:
                return ""
            if read is None:
                return self._placeholder(value)
            return write_json(self._reduce("", read[0], 0))
        return self._reduce("", value, 0)

    def _reduce(self, key: str, value: Plain, depth: int) -> Plain:
        if depth > _MAX_DEPTH:
            return None
        if isinstance(value, dict):
            known = ((k, item) for k, item in value.items() if k in self._fields)
            return {k: self._reduce(k, item, depth + 1) for k, item in known}
        if isinstance(value, list):
            return [self._reduce(key, item, depth + 1) for item in value]
        if isinstance(value, str):
            return value if self._is_known(key, value) else self._text(value)
        if isinstance(value, bool) or value is None or key in self._json.counts:
            return value
        return None

    def _is_known(self, key: str, text: str) -> bool:
        """Return whether a text in a JSON value is a listed word, a name or an identifier."""
        if text in self._json.words or (key in self._json.named and _is_name(text)):
            return True
        return key in self._json.ids and _ID.fullmatch(text) is not None

    def _text(self, text: str) -> Plain:
        return self._skeleton(text) if text[:1] in {"{", "["} else self._placeholder(text)

    def _placeholder(self, text: str) -> str:
        if not text or _PLACEHOLDER.fullmatch(text):
            return text
        digest = hmac.new(self._secret, text.encode(errors="surrogatepass"), hashlib.sha256)
        return f"[not stored:{digest.hexdigest()[:8]}]"


def describe_failure(text: str) -> str:
    """Return only the exception class and the status code in a text.

    Example: ``NotFoundError: status code 404`` for ``NotFoundError: no user Ada (status code
    404)``. The texts that identify a pause (an interrupt) stay, because a pause is not a failure.
    """
    raised, pause, code = _RAISED.match(text), _PAUSE.search(text), STATUS_CODE.search(text)
    parts = [pause[0] if pause else "", f"status code {code[1]}" if code else ""]
    rest = " ".join(filter(None, parts))
    return f"{raised[1]}: {rest}" if raised else rest


@lru_cache(maxsize=8192)
def _matches(pattern: re.Pattern[str], key: str) -> bool:
    return pattern.match(key) is not None


def _is_name(value: Plain) -> bool:
    if isinstance(value, list):
        return all(_is_name(item) for item in value)
    if isinstance(value, dict | bytes):
        return False
    return not isinstance(value, str) or len(value) <= LONGEST_NAME
