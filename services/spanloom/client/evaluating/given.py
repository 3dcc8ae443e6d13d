"""Runs to be judged, as they are read one after the other, and parts that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanloom.evaluation.files.judging import RunToJudge


class Unread(NamedTuple):
    """A part of a file that is not a run."""

    place: str
    reason: str


class Given(NamedTuple):
    """A run or an unreadable part, and the share of the file that was read so far."""

    run: RunToJudge | Unread
    share: float | None = None
    """Of the file, from 0 to 1; ``None``: unknown."""
