"""Which walks over runs of the past a rule wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import Walk

if TYPE_CHECKING:
    from spanloom.core.model.online_rule import OnlineRule


def wanted_of(rule: OnlineRule, walk: Walk) -> str:
    """Return what a rule wants to walk over, as one text; empty if it wants no such walk.

    A rule that was deleted and made again is another one.
    """
    if walk is Walk.RESCORE:
        return f"version {rule.rescored}" if rule.rescored else ""
    if rule.backfill is None:
        return ""
    ends = ("" if end is None else str(end) for end in rule.backfill)
    return f"{'-'.join(ends)} since {rule.since_us}"
