"""What somebody says of a step or of a piece of its text, as formats of others can hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Fact: TypeAlias = "str | int | float | bool"


class Place(NamedTuple):
    """A piece of a text of a step, in UTF-16 units."""

    field: str
    """``input`` or ``output``."""
    part: str
    """Of messages, where in them: ``0.content``; empty of the whole text."""
    start: int
    end: int
    quote: str


class Assessment(NamedTuple):
    """What one annotator says of one step; of the run with an empty step id."""

    step_id: str
    scheme: str
    annotator: str
    facts: Mapping[str, Fact]
    """``correctness``, ``error_type``, ``rationale``, ``score`` and so on, those that are said."""
    place: Place | None = None
    """``None`` of the step as a whole."""
