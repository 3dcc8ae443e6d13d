"""Redaction rules, and the TOML file that contains them, which is checked at startup."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spanloom.core.errors import StartupError
from spanloom.core.recognisers import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Action(StrEnum):
    """The action of a rule on a matched value or text."""

    DROP = "drop"
    """Remove the whole attribute or entry, or the recognised part of a text."""
    HASH = "hash"
    """Replace with a keyed hash; equal values stay equal, but cannot be guessed."""
    MASK = "mask"
    """Replace with ``[redacted:<rule>]``."""


class Place(StrEnum):
    """A part of a request to which a rule can be limited, such as the attributes of spans."""

    SPAN = "span"
    EVENT = "event"
    LINK = "link"
    RESOURCE = "resource"
    SCOPE = "scope"
    STATUS = "status"
    """Status messages."""
    NAMES = "names"
    """Names of spans, events and scopes, scope versions, schema URLs and trace states."""


@dataclass(frozen=True)
class Rule:
    """One rule; if it has both ``keys`` and ``recognisers``, one of them has to match."""

    name: str
    action: Action
    keys: tuple[str, ...] = ()
    """Patterns for attribute keys: ``*`` matches any characters, ``?`` one; case is ignored.

    The key of a nested value is the path of keys, joined by dots: ``config.password``.
    """
    recognisers: tuple[str, ...] = ()
    places: frozenset[Place] = frozenset(Place)

    def covers_key(self, path: str) -> bool:
        """Return whether a pattern matches a path of keys, in time proportional to its length."""
        return bool(self.keys) and self._pattern.match(path) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return one_pattern(self.keys)


def one_pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a regular expression that matches if a glob matches; a ``[`` matches itself."""
    plain = (glob.replace("[", "[[]") for glob in globs)
    return re.compile("|".join(map(fnmatch.translate, plain)), re.IGNORECASE)


_STRICT = ConfigDict(extra="forbid")
_Glob = Annotated[str, Field(min_length=1, max_length=256)]
MIN_SECRET_BYTES = 16


class _Rule(BaseModel):
    model_config = _STRICT

    name: str = Field(pattern="^[a-z][a-z0-9_-]{0,39}$")
    action: Action
    keys: tuple[_Glob, ...] = ()
    recognisers: tuple[str, ...] = ()
    where: tuple[Place, ...] = tuple(Place)


class _File(BaseModel):
    model_config = _STRICT

    rules: tuple[_Rule, ...]


def read_rules(path: Path) -> Sequence[Rule]:
    """Return the rules in file order; raises ``StartupError`` with one line per mistake."""
    try:
        read = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        errors = error.errors(include_url=False)
        raise _refusal(path, [f"{_where(e['loc'])}: {e['msg']}" for e in errors]) from error
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        raise _refusal(path, [f"cannot be read: {error}"]) from error
    if mistakes := list(_mistakes(read.rules)):
        raise _refusal(path, mistakes)
    return [
        Rule(rule.name, rule.action, rule.keys, rule.recognisers, frozenset(rule.where))
        for rule in read.rules
    ]


def read_secret(path: Path) -> bytes:
    """Return the secret key for hashes; raises ``StartupError`` if unreadable or too short."""
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise StartupError(f"--redaction-secret-file {path} cannot be read: {error}") from error
    if len(secret) < MIN_SECRET_BYTES:
        raise StartupError(
            f"--redaction-secret-file {path} holds {len(secret)} bytes: it takes at least "
            f"{MIN_SECRET_BYTES}, for example of `openssl rand -hex 32`"
        )
    return secret


def _mistakes(rules: Sequence[_Rule]) -> Iterator[str]:
    if not rules:
        yield "rules: there are none"
    names = Counter(rule.name for rule in rules)
    for index, rule in enumerate(rules):
        where = f"rules[{index}] ({rule.name})"
        if names[rule.name] > 1:
            yield f"{where}: the name is used twice"
        if not rule.keys and not rule.recognisers:
            yield f"{where}: it needs keys or recognisers"
        for unknown in (r for r in rule.recognisers if r not in NAMES):
            yield f"{where}: {unknown!r} is no recogniser; there are {', '.join(NAMES)}"


def _where(location: Sequence[int | str]) -> str:
    """Return a location as text: ``rules[0].action`` for ``("rules", 0, "action")``."""
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in location).lstrip(".")


def _refusal(path: Path, mistakes: Sequence[str]) -> StartupError:
    return StartupError("\n".join(f"--redaction-rules {path}: {m}" for m in mistakes))
