"""Decides which of two builds of a trace may replace the other.

The builds of a trace are ordered by rank; no two builds have the same rank or the same version
number. A build that read less than the stored build gets no rank, and is not stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASSES = {Status.LIVE: 0, Status.FAILED: 1, Status.PARTIAL: 2, Status.SETTLED: 2}
MOST_PLACES = 16
"""Maximum number of former list positions (starts in ns) of a run that its newest build removes."""


class Precedence(NamedTuple):
    """The values that decide whether a build may replace another build."""

    read_mark: str
    """How much the build read (``Read.mark``); empty if an older release built it."""
    finality: int
    """0 while spans keep arriving, 1 for a failure, 2 for a finished run."""
    extractor: int
    """The extractor's version; 0 if it is not a number."""

    @classmethod
    def of(cls, read_mark: str, status: Status, extractor_version: str) -> Precedence:
        """Make the precedence of a build from the values as stored."""
        number = int(extractor_version) if extractor_version.isdecimal() else 0
        return cls(read_mark, _CLASSES[status], number)


class Build(NamedTuple):
    """A build of a trace, stored or to be stored."""

    rank: int
    """Greater than all earlier ranks of the trace; the current build has the highest rank."""
    version: int
    fingerprint: str
    precedence: Precedence
    is_whole: bool = True
    """Whether the build read everything that had arrived; unused for a stored build."""

    def follows(self, stored: Build | None) -> bool:
        """Return whether this build may be written over the stored build.

        The same build may be written again, because the first write may have been interrupted.
        """
        if stored is None or self.is_same(stored):
            return True
        is_next = self.rank > stored.rank and self.version > stored.version
        return is_next and may_replace(stored.precedence, self.precedence, is_whole=self.is_whole)

    def confirmed_by(self, others: Iterable[Build]) -> Build:
        """Return this build with the highest read mark among the builds with the same content."""
        marks = (o.precedence.read_mark for o in others if o.fingerprint == self.fingerprint)
        mark = max(marks, default="")
        precedence = self.precedence._replace(read_mark=max(self.precedence.read_mark, mark))
        return self._replace(precedence=precedence)

    def is_same(self, other: Build) -> bool:
        """Return whether two builds have the same rank, version number and content."""
        return self[:3] == other[:3]


def may_replace(stored: Precedence, new: Precedence, *, is_whole: bool) -> bool:
    """Return whether a build may replace a stored one.

    ``is_whole``: whether the new build read everything that had arrived. A build with equal
    precedence may replace the stored build, because another trace may have changed the content. A
    stored build without a read mark is replaced only by a whole build.
    """
    if not stored.read_mark:
        return is_whole
    if new[:2] != stored[:2]:
        return new[:2] > stored[:2]
    return not new.extractor or new.extractor >= stored.extractor


def knows_more(own: Precedence, others: Iterable[Precedence]) -> bool:
    """Return whether ``own`` has precedence over one of ``others``, which must not replace it."""
    return any(not may_replace(own, other, is_whole=False) for other in others)


def former_places(own_ns: int, places: Iterable[int]) -> list[int]:
    """Return the positions in ``places`` that differ from the build's start, the newest first."""
    return [place for place in dict.fromkeys(places) if place != own_ns][:MOST_PLACES]
