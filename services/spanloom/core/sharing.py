"""Shares traces among processes: every trace is in a slice, and one process owns each slice.

Each process computes the owners itself, from the list of living processes. Two processes with
different lists may, for a moment, both process a slice, or neither. That is harmless: a trace that
is processed twice does not change, and a slice without an owner is processed a moment later.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spanloom.core.model.span import TraceKey

SLICES = 256
HANDOVER_S = 2.0
"""Seconds after which a slice gained from a living process, and released by it, may be used."""

Slices: TypeAlias = "frozenset[int] | None"
"""Numbers of slices, from 0; ``None`` means all slices, if the process shares no traces."""

ALL: Slices = None
NONE: Slices = frozenset()


def slice_of(key: TraceKey, count: int = SLICES) -> int:
    """Return the slice of a trace; the store computes the same: ``CRC32(TraceId) % 256``."""
    return crc32(key.trace_id.encode()) % count


def covers(slices: Slices, key: TraceKey) -> bool:
    """Return whether a trace is in one of the slices."""
    return slices is None or slice_of(key) in slices


def share(members: Collection[str], count: int = SLICES) -> Mapping[int, str]:
    """Return the owner of each of ``count`` slices; empty if there are no members.

    The members are processes. Their numbers of slices differ by at most one. If a member joins or
    leaves, few slices of other members change their owner. The order of members does not matter.
    """
    ordered = sorted(set(members))
    if not ordered:
        return {}
    least, rest = divmod(count, len(ordered))
    room = {member: least + (n < rest) for n, member in enumerate(ordered)}
    owners: dict[int, str] = {}
    for number in range(count):
        owner = max((m for m in ordered if room[m]), key=lambda m: _weight(number, m))
        owners[number] = owner
        room[owner] -= 1
    return owners


def _weight(number: int, member: str) -> bytes:
    """Return a pseudorandom rank of a member for a slice, the same in every process."""
    return blake2b(f"{number} {member}".encode(), digest_size=8).digest()


class Claims:
    """The slices that one process owns, computed from the lists of living processes that it reads.

    Times are in seconds on the monotonic clock of the process.
    """

    def __init__(self, me: str, stale_s: float, count: int = SLICES) -> None:
        """Start without slices, until the first list is read.

        If no list is read for ``stale_s`` seconds, other processes take over the slices.
        """
        self._me = me
        self._count = count
        self._stale_s = stale_s
        self._members: frozenset[str] = frozenset()
        self._owners: Mapping[int, str] = {}
        self._from_s: Mapping[int, float] = {}
        """For each slice, the time in seconds from which this process holds it."""
        self._read_s = 0.0

    def update(self, living: Collection[str], now_s: float) -> None:
        """Use a new list of living processes; this process is added if missing."""
        members = frozenset(living) | {self._me}
        if self.is_stale(now_s):
            self._members, self._owners, self._from_s = frozenset(), {}, {}
        self._read_s = now_s
        if members == self._members:
            return
        owners = share(members, self._count)
        before = self._owners or share(members - {self._me}, self._count)
        mine = [number for number, owner in owners.items() if owner == self._me]
        self._from_s = {
            number: self._from_s[number]
            if number in self._from_s
            else now_s + HANDOVER_S * (before.get(number) in members)
            for number in mine
        }
        self._members, self._owners = members, owners

    def is_stale(self, now_s: float) -> bool:
        """Return whether other processes have probably taken over the slices of this process."""
        return len(self._members) > 1 and now_s - self._read_s > self._stale_s

    def held(self, now_s: float) -> frozenset[int]:
        """Return the slices to process now, without those just gained from a living process."""
        return frozenset(number for number, from_s in self._from_s.items() if from_s <= now_s)


def hold_all(_work: str = "") -> Slices:
    """Return all slices, for a process that shares them with no other process."""
    return ALL
