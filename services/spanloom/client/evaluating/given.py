"""Types for runs to be judged, and for items of a file that cannot be read as runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanloom.evaluation.files.judging import RunToJudge


class Unread(NamedTuple):
    """An item of a file that is not a run."""

    place: str
    reason: str


class Given(NamedTuple):
    """A run or an unreadable item, and the fraction of the file read so far."""

    run: RunToJudge | Unread
    share: float | None = None
    """The fraction of the file read so far, from 0 to 1; ``None`` if unknown."""
