"""What an annotator said of a step or a trajectory: rows are added and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import TraceKey

WHOLE = ""
"""In place of a step's id: of the trajectory as a whole."""


class Origin(StrEnum):
    """Where a row comes from."""

    HUMAN = "human"
    ADJUDICATION = "adjudication"
    """By a person who saw what the others said."""
    MODEL = "model"
    RULE = "rule"
    IMPORT = "import"


class Mark(NamedTuple):
    """What is said; an empty text is nothing said."""

    correctness: str = ""
    error_type: str = ""
    error_subtype: str = ""
    severity: str = ""
    rationale: str = ""
    value: Mapping[str, object] = MappingProxyType({})
    """What else a scheme asks for, and keys of an import that nobody knows."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said."""
        return not any(self)


NOTHING = Mark()
MARK_FIELDS = ("correctness", "error_type", "error_subtype", "severity", "rationale")
"""The fields of a mark that are texts."""


class Anchor(NamedTuple):
    """By what an annotation finds its step again in other versions of the trajectory."""

    version: int
    """That was on the screen."""
    step_hash: str = ""
    """Of what the step said then; empty where that was not kept."""
    agent_id: str = ""
    """The agent under which it stood; empty of a root and of a trajectory."""
    ordinal: int = 0
    """Its place, from 1, among that agent's steps with the same hash."""
    step_type: str = ""
    agent_name: str = ""
    quote: str = ""
    """Name and beginning of the step, for people, should it vanish."""


class Slot(NamedTuple):
    """What of one annotator there is one current row of."""

    key: TraceKey
    scheme: str
    annotator: str
    step_id: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """One revision of what one annotator says of one step, or of the whole (``WHOLE``)."""

    slot: Slot
    revision: int
    """Counts the rows of the slot from 1; the highest is current."""
    write_id: str
    """Given by the client: the same write sent again is the same row."""
    base_revision: int
    """What the client had seen; other than ``revision - 1``: the edits of two windows joined."""
    at_us: int
    """When it was accepted, in microseconds since the epoch."""
    origin: Origin
    scheme_hash: str
    anchor: Anchor
    mark: Mark
    penalty: float = 0.0
    """What it takes off the score."""
    group: str = ""
    """What is undone together has the same."""
    is_deleted: bool = False
    """Taken back."""

    @property
    def order(self) -> tuple[int, int, str]:
        """By what revisions of a slot compare, also two of one number from two processes."""
        return self.revision, self.at_us, self.write_id
