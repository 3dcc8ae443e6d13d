"""A reach as two columns, ``EveryProject`` and ``Projects``, of rows that remember who asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from spanloom.storage.engine.answers import Row


def reach_columns(reach: Reach) -> dict[str, object]:
    """Return the columns by name: ``{"EveryProject": False, "Projects": ["a", "b"]}``."""
    return {"EveryProject": reach.is_every, "Projects": sorted(reach.projects)}


def reach_of(row: Row) -> Reach:
    """Return the reach that a row's columns hold."""
    return Reach(frozenset(row.Projects), is_every=bool(row.EveryProject))
