"""Decides whether a process is ready, as ``/readyz`` reports it (table in docs/operations.md).

A collector is ready without the store, because acknowledged requests wait in the spool. The other
roles need the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.ports.building import BuildingStore


class Readiness:
    """The conditions of readiness, each a function that returns what is missing."""

    def __init__(self, unready: Callable[[], Sequence[str]], *, only_collects: bool) -> None:
        """Start without conditions; while ``unready`` returns reasons, conditions are not checked.

        ``only_collects`` is whether the process has the role of the collector and no other.
        """
        self._unready = unready
        self.only_collects = only_collects
        self._conditions: list[Callable[[], str]] = []

    def require(self, missing: Callable[[], str]) -> None:
        """Add a condition; ``missing`` returns the reason while it is not met, and may block."""
        self._conditions.append(missing)

    def require_to_collect(self, missing: Callable[[], str]) -> None:
        """Add a condition that applies only if this process ``only_collects``."""
        if self.only_collects:
            self.require(missing)

    def reasons(self) -> Sequence[str]:
        """Return why the process is not ready, empty if it is; may block on the store."""
        return self._unready() or [reason for missing in self._conditions if (reason := missing())]


def store_trouble(store: BuildingStore) -> str:
    """Return why the store cannot be used at the moment; empty if it can."""
    try:
        store.ping()
    except StoreUnavailableError as error:
        return f"the store does not answer: {error}"
    return ""
