"""Annotations of steps and trajectories, and assessments, their form for other formats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import TraceKey

WHOLE = ""
"""Step id of an annotation of the trajectory as a whole."""


class Origin(StrEnum):
    """Where an annotation comes from."""

    HUMAN = "human"
    ADJUDICATION = "adjudication"
    """By a person who saw the annotations of the others."""
    MODEL = "model"
    RULE = "rule"
    IMPORT = "import"


class Mark(NamedTuple):
    """The content of an annotation; an empty text is no judgement."""

    correctness: str = ""
    error_type: str = ""
    error_subtype: str = ""
    severity: str = ""
    rationale: str = ""
    value: Mapping[str, object] = MappingProxyType({})
    """Further answers that a scheme asks for, and unknown keys of an import."""

    @property
    def is_empty(self) -> bool:
        """Whether every field is empty."""
        return not any(self)


NOTHING = Mark()
MARK_FIELDS = ("correctness", "error_type", "error_subtype", "severity", "rationale")
"""The text fields of a mark."""


class Anchor(NamedTuple):
    """How an annotation finds its step again in other versions of the trajectory."""

    version: int
    """The version that the annotator saw."""
    step_hash: str = ""
    """Hash of the step's content in that version; empty if it was not kept."""
    agent_id: str = ""
    """The agent that the step belonged to; empty for a root and for a trajectory."""
    ordinal: int = 0
    """Its position, from 1, among that agent's steps with the same hash."""
    step_type: str = ""
    agent_name: str = ""
    quote: str = ""
    """Name and beginning of the step, shown to people if the step disappears."""


class Slot(NamedTuple):
    """What an annotator can annotate once: each slot has one current row."""

    key: TraceKey
    scheme: str
    annotator: str
    step_id: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """One revision of an annotator's annotation of a step, or of the trajectory (``WHOLE``)."""

    slot: Slot
    revision: int
    """Counts the rows of the slot from 1; the highest is current."""
    write_id: str
    """Chosen by the client: the same write sent again yields the same row."""
    base_revision: int
    """The revision that the client had seen; if not ``revision - 1``, two edits were merged."""
    at_us: int
    """When it was accepted, in microseconds since the epoch."""
    origin: Origin
    scheme_hash: str
    anchor: Anchor
    mark: Mark
    penalty: float = 0.0
    """Subtracted from the score."""
    group: str = ""
    """Rows that are undone together share it."""
    is_deleted: bool = False
    """Withdrawn by the annotator."""

    @property
    def order(self) -> tuple[int, int, str]:
        """Sort key of the revisions of a slot; unique even if two processes use one number."""
        return self.revision, self.at_us, self.write_id


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
