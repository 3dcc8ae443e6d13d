"""Applies rules to values of any shape: lists, dictionaries, JSON texts, one inside the other.

What would cost too much to look through is not let pass: it is masked whole.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from spanloom.collector.intake.redaction.recognisers import RECOGNISERS
from spanloom.collector.intake.redaction.rules import Action, Place, Rule
from spanloom.collector.intake.redaction.values import (
    Plain,
    UnreadableJsonError,
    as_text,
    read_json,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.collector.intake.redaction.recognisers import Recogniser

MAX_TEXT = 1024 * 1024
"""Characters of a text that are looked through; a longer one is masked whole."""
MAX_DEPTH = 64
"""Values inside each other, JSON texts inside JSON texts included."""
MAX_VALUE_S = 0.5
"""Time for one value."""
UNCHECKED = Rule("unchecked", Action.MASK)
"""Masks what is beyond these bounds."""
LONGEST_KEY = 512
"""Characters of a key that is looked through, as many bytes as an attribute's key may have
(``intake/limits.py``); the value of a longer one is masked whole."""
_SMALLEST_LONG_NUMBER = 10**6
"""Only numbers with at least so many digits are looked through, as texts."""
_MARK = re.compile(r"\[(?:redacted|hash):[a-z][a-z0-9_-]{0,39}(?::[0-9a-f]{16})?\]")
_BYTES_READ_AS = "latin-1"  # every byte is a character of it


class Gone:
    """What is left of a dropped value."""


GONE: Final = Gone()
Findings = Counter[tuple[str, Action]]
"""How often which rule did what."""


def is_gone(value: object) -> bool:
    """Return whether a value was dropped."""
    return value is GONE


class _OverBoundError(Exception):
    """A value cannot be looked through within the bounds."""


class Walk:
    """The rules, ready to be applied; without state, so any number of threads may."""

    def __init__(self, rules: Sequence[Rule], secret: bytes) -> None:
        """Load what the rules' recognisers need; raises ``StartupError`` if it is missing."""
        self._secret = secret
        made: dict[str, Recogniser] = {
            name: RECOGNISERS[name]() for rule in rules for name in rule.recognisers
        }
        self._keyed = {p: [r for r in rules if r.keys and p in r.places] for p in Place}
        self._finders = {
            place: [(r, [made[n] for n in r.recognisers]) for r in rules if place in r.places]
            for place in Place
        }

    def value(self, place: Place, key: str, value: Plain, found: Findings) -> Plain | Gone:
        """Return a value without what the rules of the place find in it, or ``GONE``."""
        run = _Run(self, place, found)
        try:
            return run.named(key, key, value, 0)
        except (_OverBoundError, UnreadableJsonError):
            found[UNCHECKED.name, UNCHECKED.action] += 1
            return self.mark(UNCHECKED, "")

    def text(self, place: Place, text: str, found: Findings) -> str:
        """Return a text that has no key, such as a span's name."""
        value = self.value(place, "", text, found)
        return value if isinstance(value, str) else ""

    def rule_for(self, place: Place, path: str) -> Rule | None:
        """Return the first rule of the place that has a pattern for the key."""
        return next((rule for rule in self._keyed[place] if rule.covers_key(path)), None)

    def scan(self, place: Place, text: str, found: Findings, tick: Callable[[], None]) -> str:
        """Return a text with everything replaced that the place's recognisers find in it."""
        for rule, recognisers in self._finders[place]:
            spans = sorted({span for find in recognisers for span in find(text, tick)})
            if spans:
                text = self._replace(rule, text, spans, found)
        return text

    def mark(self, rule: Rule, text: str) -> str:
        """Return what stands in the place of a text."""
        if rule.action is Action.MASK:
            return f"[redacted:{rule.name}]"
        digest = hmac.new(self._secret, text.encode(errors="surrogatepass"), hashlib.sha256)
        return f"[hash:{rule.name}:{digest.hexdigest()[:16]}]"

    def _replace(
        self, rule: Rule, text: str, spans: Sequence[tuple[int, int]], found: Findings
    ) -> str:
        parts: list[str] = []
        done = 0
        for start, stop in _joined(spans):
            parts.append(text[done:start])
            if rule.action is not Action.DROP:
                parts.append(self.mark(rule, text[start:stop]))
            done = stop
            found[rule.name, rule.action] += 1
        return "".join([*parts, text[done:]])


class _Run:
    """One value being looked through."""

    def __init__(self, walk: Walk, place: Place, found: Findings) -> None:
        self._walk = walk
        self._place = place
        self._found = found
        self._until = time.monotonic() + MAX_VALUE_S

    def named(self, key: str, path: str, value: Plain, depth: int) -> Plain | Gone:
        """Look a value through that has a key; one with too long a key may be anybody's secret."""
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
        """Redact bytes and long numbers as texts; one with a finding becomes a text."""
        if isinstance(value, bytes):
            text = value.decode(_BYTES_READ_AS)
        elif isinstance(value, int) and abs(value) >= _SMALLEST_LONG_NUMBER:
            text = as_text(value)
        else:
            return value
        left = self._scan(text)
        return value if left == text else left

    def _dictionary(self, path: str, value: dict[str, Plain], depth: int) -> Plain:
        left: dict[str, Plain] = {}
        for key, item in value.items():
            new = self.named(key, f"{path}.{key}", item, depth + 1)
            if not isinstance(new, Gone):
                left[self._scan(key)] = new
        return left

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
        return self._walk.scan(self._place, text, self._found, self._tick)

    def _apply(self, rule: Rule, value: Plain) -> Plain | Gone:
        if isinstance(value, str) and _MARK.fullmatch(value):
            return value  # it was redacted before, at a door
        self._found[rule.name, rule.action] += 1
        return GONE if rule.action is Action.DROP else self._walk.mark(rule, as_text(value))

    def _tick(self) -> None:
        if time.monotonic() > self._until:
            raise _OverBoundError


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted spans with those that overlap made one."""
    joined: list[tuple[int, int]] = []
    for start, stop in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((start, stop))
    return joined
