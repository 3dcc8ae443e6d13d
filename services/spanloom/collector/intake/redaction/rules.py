"""Redaction rules: what each looks for, where, and what is done with what it finds."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Action(StrEnum):
    """What is done with what a rule finds."""

    DROP = "drop"
    """Removed: an attribute or entry as a whole, of a text the part that was recognised."""
    HASH = "hash"
    """Replaced by a keyed hash: equal values stay equal, and cannot be guessed."""
    MASK = "mask"
    """Replaced by ``[redacted:<rule>]``."""


class Place(StrEnum):
    """Where a rule looks."""

    SPAN = "span"
    EVENT = "event"
    LINK = "link"
    RESOURCE = "resource"
    SCOPE = "scope"
    STATUS = "status"
    """Status messages."""
    NAMES = "names"
    """Names of spans, events and scopes, scope versions, schema URLs and trace states."""


ATTRIBUTE_PLACES = frozenset(
    {Place.SPAN, Place.EVENT, Place.LINK, Place.RESOURCE, Place.SCOPE},
)


@dataclass(frozen=True)
class Rule:
    """One rule; with ``keys`` and ``recognisers`` both, either finds on its own."""

    name: str
    action: Action
    keys: tuple[str, ...] = ()
    """Patterns of attribute keys: ``*`` stands for any characters, ``?`` for one, case does not
    matter. Values inside others are named by all keys above them: ``config.password``."""
    recognisers: tuple[str, ...] = ()
    places: frozenset[Place] = frozenset(Place)

    def covers_key(self, path: str) -> bool:
        """Return whether one of the patterns matches; takes time in proportion to the length."""
        return bool(self.keys) and self._pattern.match(path) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return one_pattern(self.keys)


def one_pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return one expression for all patterns; ``[`` is an ordinary character in them."""
    plain = (glob.replace("[", "[[]") for glob in globs)
    return re.compile("|".join(map(fnmatch.translate, plain)), re.IGNORECASE)
