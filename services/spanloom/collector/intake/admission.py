"""Whether a project may send at the moment: room on the disk, its quota, its rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.access.rates import Rates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.access.quotas import Quotas
    from spanloom.collector.spool.free_space import FreeSpace


class Admission:
    """Everything that may refuse a request for what was sent before it. Safe for many threads."""

    def __init__(
        self,
        rates: Rates | None = None,
        quotas: Quotas | None = None,
        space: FreeSpace | None = None,
    ) -> None:
        """Let everybody in whom none of the three refuses."""
        self._rates = rates or Rates()
        self._quotas = quotas
        self._space = space

    def check(self, key_project: str) -> None:
        """Raise ``RateLimitedError`` if the project of a key sends too much or has too much.

        Raises ``OverloadedError`` while the disk has no room. Of senders whose key names no project
        the quotas are looked at when theirs are known.
        """
        if self._space:
            self._space.check()
        if key_project and self._quotas:
            self._quotas.check(key_project)
        self._rates.check(key_project)

    def is_full(self, project: str) -> bool:
        """Return whether the project has reached its quota."""
        return self._quotas is not None and self._quotas.is_full(project)

    def charge(self, key_project: str, *, spans: int = 0, size: int = 0) -> None:
        """Count what a request brought to the rate of its key's project."""
        self._rates.charge(key_project, spans=spans, size=size)

    def charge_stored(self, sizes: Mapping[str, int]) -> None:
        """Count bytes that were accepted, and so will be stored, by project."""
        if self._quotas:
            self._quotas.charge(sizes)
