"""Assessments: annotations of a step or a piece of its text, in a form for other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Fact: TypeAlias = "str | int | float | bool"


class Place(NamedTuple):
    """A piece of a step's text; offsets are UTF-16 code units."""

    field: str
    """``input`` or ``output``."""
    part: str
    """Path into the messages, ``0.content``; empty for the whole text."""
    start: int
    end: int
    quote: str


class Assessment(NamedTuple):
    """One annotator's assessment of a step, or of the run if the step id is empty."""

    step_id: str
    scheme: str
    annotator: str
    facts: Mapping[str, Fact]
    """The answers that were given: ``correctness``, ``error_type``, ``rationale``, ``score`` …"""
    place: Place | None = None
    """``None`` for the step as a whole."""
