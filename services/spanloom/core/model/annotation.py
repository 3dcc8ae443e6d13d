"""Annotations of steps and trajectories, and assessments, to which other formats are converted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.score import Source
    from spanloom.core.model.span import TraceKey

ANNOTATOR_HEADER = "x-spanloom-annotator"
"""The HTTP header with the name of an annotator, which is not verified."""
LONGEST_ANNOTATOR = 100
"""Maximum characters of that name."""
WHOLE = ""
"""Step id of an annotation of the trajectory as a whole."""


class Origin(StrEnum):
    """The source of an annotation."""

    HUMAN = "human"
    ADJUDICATION = "adjudication"
    """An annotation by a person who has seen the other annotators' annotations."""
    MODEL = "model"
    RULE = "rule"
    IMPORT = "import"

    @property
    def source(self) -> Source:
        """The source of the scores that are computed from annotations of this origin."""
        return self.value


class Mark(NamedTuple):
    """The content of an annotation; empty fields express no judgement."""

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
    """The data by which an annotation finds its step again in other versions of a trajectory."""

    version: int
    """The version that the annotator saw."""
    step_hash: str = ""
    """Hash of the step's content in that version; empty if it was not stored."""
    agent_id: str = ""
    """The agent that owned the step; empty for a root or a whole trajectory."""
    ordinal: int = 0
    """The step's position, from 1, among the steps of that agent with the same hash."""
    step_type: str = ""
    agent_name: str = ""
    quote: str = ""
    """Name and beginning of the step's text, shown to people if the step disappears."""


class Slot(NamedTuple):
    """The identity of an annotation: its target and annotator; the same for all its revisions."""

    key: TraceKey
    scheme: str
    annotator: str
    step_id: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """One revision of an annotator's annotation of a step, or of the trajectory (``WHOLE``)."""

    slot: Slot
    revision: int
    """Number of the row among those with the same target and annotator, from 1; the highest is
    current."""
    write_id: str
    """Chosen by the client; if the client sends the same write again, no further row is stored."""
    base_revision: int
    """The revision that the client had seen; if not ``revision - 1``, two edits were merged."""
    at_us: int
    """The time at which the revision was accepted, in microseconds since the epoch."""
    origin: Origin
    scheme_hash: str
    anchor: Anchor
    mark: Mark
    penalty: float = 0.0
    """Subtracted from the score of the run."""
    group: str = ""
    """An id that is the same for all rows which are undone together."""
    is_deleted: bool = False
    """Whether the annotator withdrew the annotation."""

    @property
    def order(self) -> tuple[int, int, str]:
        """Sort key of an annotation's revisions; unique even if two have the same number."""
        return self.revision, self.at_us, self.write_id


Fact: TypeAlias = "str | int | float | bool"


class Place(NamedTuple):
    """A range in the text of a step; offsets are UTF-16 code units."""

    field: str
    """``input`` or ``output``."""
    part: str
    """Path into the messages, such as ``0.content``; empty for the whole text."""
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
