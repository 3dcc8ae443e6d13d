"""Applies rules to attribute values, also inside nested lists, dictionaries and JSON texts.

A value that is too expensive to check is masked as a whole.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from spanloom.collector.intake.redaction.rules import Action, Place, Rule
from spanloom.collector.intake.redaction.values import (
    Plain,
    UnreadableJsonError,
    as_text,
    read_json,
    write_json,
)
from spanloom.core.recognisers import RECOGNISERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.recognisers import Recogniser

MAX_TEXT = 1024 * 1024
"""Maximum length of a text that is checked, in characters; longer texts are masked."""
MAX_DEPTH = 64
"""Maximum nesting of values, including JSON texts inside JSON texts."""
MAX_VALUE_S = 0.5
"""Time limit for one value, in seconds."""
UNCHECKED = Rule("unchecked", Action.MASK)
"""The rule that masks values beyond the limits above."""
LONGEST_KEY = 512
"""Maximum length of a key that is checked, in characters; the value of a longer key is masked.

The number equals the limit for attribute keys in bytes (``intake/limits.py``).
"""
_SMALLEST_LONG_NUMBER = 10**6
"""Integers of at least this absolute value are checked as texts; smaller ones are not checked."""
_MARK = re.compile(r"\[(?:redacted|hash):[a-z][a-z0-9_-]{0,39}(?::[0-9a-f]{16})?\]")
_BYTES_READ_AS = "latin-1"  # maps every byte to a character


class Gone:
    """The type of ``GONE``, which replaces a dropped value."""


GONE: Final = Gone()
Matches = Counter[tuple[str, Action]]
"""Number of matches, keyed by the name of the rule and the action."""


def is_gone(value: object) -> bool:
    """Return whether a value was dropped."""
    return value is GONE


class _OverBoundError(Exception):
    """Raised if a value cannot be checked within the limits."""


class Walk:
    """Applies rules to values; stateless, so callable from many threads."""

    def __init__(self, rules: Sequence[Rule], secret: bytes) -> None:
        """Load the recognisers; raises ``StartupError`` if their libraries are missing."""
        self._secret = secret
        made: dict[str, Recogniser] = {
            name: RECOGNISERS[name]() for rule in rules for name in rule.recognisers
        }
        self._keyed = {p: [r for r in rules if r.keys and p in r.places] for p in Place}
        self._finders = {
            place: [(r, [made[n] for n in r.recognisers]) for r in rules if place in r.places]
            for place in Place
        }

    def value(self, place: Place, key: str, value: Plain, matches: Matches) -> Plain | Gone:
        """Return a value after applying the rules for its ``Place`` (part of the request).

        ``GONE`` if the value is dropped.
        """
        run = _Run(self, place, matches)
        try:
            return run.named(key, key, value, 0)
        except (_OverBoundError, UnreadableJsonError):
            matches[UNCHECKED.name, UNCHECKED.action] += 1
            return self.mark(UNCHECKED, "")

    def text(self, place: Place, text: str, matches: Matches) -> str:
        """Return the redacted form of a text that has no key, such as a span's name."""
        value = self.value(place, "", text, matches)
        return value if isinstance(value, str) else ""

    def rule_for(self, place: Place, path: str) -> Rule | None:
        """Return the first rule for a ``Place`` that has a pattern matching the key."""
        return next((rule for rule in self._keyed[place] if rule.covers_key(path)), None)

    def scan(self, place: Place, text: str, matches: Matches, tick: Callable[[], None]) -> str:
        """Return a text in which the recognisers with rules for ``place`` replace their matches."""
        for rule, recognisers in self._finders[place]:
            spans = sorted({span for find in recognisers for span in find(text, tick)})
            if spans:
                text = self._replace(rule, text, spans, matches)
        return text

    def mark(self, rule: Rule, text: str) -> str:
        """Return the replacement for a matched text."""
        if rule.action is Action.MASK:
            return f"[redacted:{rule.name}]"
        digest = hmac.new(self._secret, text.encode(errors="surrogatepass"), hashlib.sha256)
        return f"[hash:{rule.name}:{digest.hexdigest()[:16]}]"

    def _replace(
        self, rule: Rule, text: str, spans: Sequence[tuple[int, int]], matches: Matches
    ) -> str:
        parts: list[str] = []
        done = 0
        for start, stop in _joined(spans):
            parts.append(text[done:start])
            if rule.action is not Action.DROP:
                parts.append(self.mark(rule, text[start:stop]))
            done = stop
            matches[rule.name, rule.action] += 1
        return "".join([*parts, text[done:]])


class _Run:
    """Redacts one value, within the time limit ``MAX_VALUE_S``."""

    def __init__(self, walk: Walk, place: Place, matches: Matches) -> None:
        self._walk = walk
        self._place = place
        self._matches = matches
        self._until = time.monotonic() + MAX_VALUE_S

    def named(self, key: str, path: str, value: Plain, depth: int) -> Plain | Gone:
        """Redact a value that has a key; if the key is too long, mask the value unchecked."""
        if len(key) > LONGEST_KEY:
            return self._apply(UNCHECKED, value)
        return self.value(path, value, depth)

    def value(self, path: str, value: Plain, depth: int) -> Plain | Gone:
        self._tick()
        if depth > MAX_DEPTH:
            raise _OverBoundError
        rule = self._walk.rule_for(self._place, path) if path else None
        if rule is not None:
            return self._apply(rule, value)
        if isinstance(value, str):
            return self._text(path, value, depth)
        if isinstance(value, dict):
            return self._dictionary(path, value, depth)
        if isinstance(value, list):
            items = [self.value(path, item, depth + 1) for item in value]
            return [item for item in items if not isinstance(item, Gone)]
        return self._other(value)

    def _other(self, value: Plain) -> Plain:
        """Redact bytes and large numbers as texts; a value with a match becomes a text."""
        if isinstance(value, bytes):
            text = value.decode(_BYTES_READ_AS)
        elif isinstance(value, int) and abs(value) >= _SMALLEST_LONG_NUMBER:
            text = as_text(value)
        else:
            return value
        kept = self._scan(text)
        return value if kept == text else kept

    def _dictionary(self, path: str, value: dict[str, Plain], depth: int) -> Plain:
        kept: dict[str, Plain] = {}
        for key, item in value.items():
            new = self.named(key, f"{path}.{key}", item, depth + 1)
            if not isinstance(new, Gone):
                kept[self._scan(key)] = new
        return kept

    def _text(self, path: str, text: str, depth: int) -> str:
        if len(text) > MAX_TEXT:
            raise _OverBoundError
        if (read := read_json(text)) is not None:
            value, hides = read
            new = self.value(path, value, depth + 1)
            if hides or new != value:
                text = "" if isinstance(new, Gone) else write_json(new)
        return self._scan(text)

    def _scan(self, text: str) -> str:
        if len(text) > MAX_TEXT:
            raise _OverBoundError
        return self._walk.scan(self._place, text, self._matches, self._tick)

    def _apply(self, rule: Rule, value: Plain) -> Plain | Gone:
        if isinstance(value, str) and _MARK.fullmatch(value):
            return value  # already redacted by an endpoint
        self._matches[rule.name, rule.action] += 1
        return GONE if rule.action is Action.DROP else self._walk.mark(rule, as_text(value))

    def _tick(self) -> None:
        if time.monotonic() > self._until:
            raise _OverBoundError


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge overlapping ranges of characters; ``spans`` must be sorted."""
    joined: list[tuple[int, int]] = []
    for start, stop in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((start, stop))
    return joined
