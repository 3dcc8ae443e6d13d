"""Which traces changed, and how far the extractor has come with each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import Status


@dataclass(frozen=True, slots=True)
class TraceChange:
    """A trace got spans: everything after a given sequence number, summed up."""

    key: TraceKey
    max_seq: int
    first_accepted_ns: int
    last_accepted_ns: int
    has_root: bool
    """Whether a span without parent is among them."""
    span_count: int = 0
    """How many spans arrived, repeats included."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the extractor has come with a trace."""

    key: TraceKey
    seq: int
    """The highest span version that went into the newest attempt."""
    status: Status
    attempts: int = 0
    """Failed attempts in a row."""
    arrived: int = 0
    """How many spans had arrived, repeats included, before the newest attempt began to read;
    0 is unknown."""


class ChangeReader(Protocol):
    """Tells discovery what changed."""

    def changes_since(self, seq: int) -> Sequence[TraceChange]:
        """Return every trace that got spans with a version above ``seq``.

        Anything whose ``append`` returned before the call is seen. What an ``append`` still
        under way has stored may or may not be.
        """

    def unextracted(self) -> Sequence[TraceChange]:
        """Return every trace with more than its progress tells, or whose progress is ``live``.

        More is a newer span, or more spans than had arrived: a collector that drains an old
        spool brings old sequences late. This is the truth that ``changes_since`` shortens; it reads
        the narrow tables whole.
        """

    def read_progress(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, Progress]:
        """Return the remembered progress; an unknown trace has no entry."""


class ProgressWriter(Protocol):
    """Remembers what discovery need not find again."""

    def record_progress(self, progress: Sequence[Progress]) -> None:
        """Remember how far these traces were extracted."""
