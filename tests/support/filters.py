"""Filters in the form in which the store accepts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.query.selection import condition_of

if TYPE_CHECKING:
    from spanloom.core.query.where.tree import Condition


def filtered(**filters: Any) -> Condition | None:
    """Return the ``where`` condition for filters by name; times are nanoseconds."""
    return condition_of(filters)
