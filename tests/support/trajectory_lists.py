"""Shared by tests of trajectory stores: numbered trace ids, and reading a list by pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS
from tests.support.paging import read_pages

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from spanloom.core.ports.store import Store
    from spanloom.core.query.where.tree import Condition


def listed(
    store: Store, project: str, where: Condition | None, page: int = 100
) -> list[tuple[int, str]]:
    """Read a whole list page by page."""
    reach = Reach.only(project)
    pages = read_pages(lambda limit, after: store.runs.list(reach, where, limit, after), page)
    return [(line.start_ns - START_NS, line.key.trace_id) for line in pages]


def trace(n: int) -> str:
    return f"{n:032x}"
