"""Decides which of two builds of a trace may replace the other.

A build's rank orders it among the builds of its trace; no two builds have the same rank or the same
version number. A build that read less than the stored build never gets a rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASSES = {Status.LIVE: 0, Status.FAILED: 1, Status.PARTIAL: 2, Status.SETTLED: 2}
MOST_PLACES = 16
"""The most former list positions (starts in ns) of a run that its newest build removes."""


class Precedence(NamedTuple):
    """What decides whether a build may replace another build."""

    read_mark: str
    """How much the build read (``Read.mark``); empty in builds of releases without read marks."""
    finality: int
    """0 while spans keep arriving, 1 for a failure, 2 for a finished run."""
    extractor: int
    """The extractor's version; 0 if it is not a number."""

    @classmethod
    def of(cls, read_mark: str, status: Status, extractor_version: str) -> Precedence:
        """Return the precedence of a build from its stored values."""
        number = int(extractor_version) if extractor_version.isdecimal() else 0
        return cls(read_mark, _CLASSES[status], number)


class Build(NamedTuple):
    """A build of a trace, stored or to be stored."""

    rank: int
    """Greater than all earlier ranks of the trace; the highest is the current build's."""
    version: int
    fingerprint: str
    precedence: Precedence
    is_whole: bool = True
    """Whether it read everything that had arrived; meaningless for a stored build."""

    def follows(self, stored: Build | None) -> bool:
        """Return whether it may be written over the stored build.

        The same build may be written again, because its previous write may have been interrupted.
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
        """Return whether both have the same rank, version number and content."""
        return self[:3] == other[:3]


def may_replace(stored: Precedence, new: Precedence, *, is_whole: bool) -> bool:
    """Return whether a build may replace a stored one.

    ``is_whole`` tells whether it read everything that had arrived. A build with equal precedence
    may replace the stored one, because another trace may have changed the content. A stored build
    without a read mark is replaced only by a whole build.
    """
    if not stored.read_mark:
        return is_whole
    if new[:2] != stored[:2]:
        return new[:2] > stored[:2]
    return not new.extractor or new.extractor >= stored.extractor


def knows_more(own: Precedence, others: Iterable[Precedence]) -> bool:
    """Return whether any of the other builds must not replace a build because it read less."""
    return any(not may_replace(own, other, is_whole=False) for other in others)


def former_places(own_ns: int, places: Iterable[int]) -> list[int]:
    """Return the list positions that a build with this start leaves, the newest first."""
    return [place for place in dict.fromkeys(places) if place != own_ns][:MOST_PLACES]
