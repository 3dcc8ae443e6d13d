"""Reads ``structure.toml``: what is stored of a span when no content is."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from spanloom.collector.intake.redaction.rules import one_pattern

if TYPE_CHECKING:
    import re


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JsonStructure(_Read):
    """Which fields and texts of JSON are stored; the file says what each list means."""

    counts: frozenset[str]
    named: frozenset[str]
    ids: frozenset[str]
    words: frozenset[str]
    fields_alone: frozenset[str] = Field(alias="fields")

    @property
    def fields(self) -> frozenset[str]:
        """Return the names of all fields that are stored."""
        return self.counts | self.named | self.fields_alone


class Structure(_Read):
    """Patterns of attribute keys and event names, and what is stored of JSON."""

    events: tuple[str, ...]
    numbers: tuple[str, ...]
    failures: tuple[str, ...]
    content: tuple[str, ...]
    by_sender: dict[str, tuple[str, ...]] = Field(alias="structure")
    json_structure: JsonStructure = Field(alias="json")

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the patterns of all attributes that are stored as they came."""
        return tuple(chain.from_iterable(self.by_sender.values()))


class Keys(NamedTuple):
    """One expression for each list of keys of attributes; ``events`` is of their names."""

    structure: re.Pattern[str]
    numbers: re.Pattern[str]
    failures: re.Pattern[str]
    content: re.Pattern[str]
    events: re.Pattern[str]


@cache
def read_keys() -> Keys:
    """Return which attributes and events are stored; making it takes a tenth of a second."""
    read = read_structure()
    lists = read.kept, read.numbers, read.failures, read.content, read.events
    return Keys(*map(one_pattern, lists))


@cache
def read_structure() -> Structure:
    """Return what the file says; raises ``ValueError`` if it says something unknown."""
    text = files(__package__).joinpath("structure.toml").read_text(encoding="utf-8")
    return Structure.model_validate(tomllib.loads(text))
