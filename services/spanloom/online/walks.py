"""Identifies the walks of a rule over past runs (``walker.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import Walk

if TYPE_CHECKING:
    from spanloom.core.model.online_rule import OnlineRule


def walk_key(rule: OnlineRule, walk: Walk) -> str:
    """Return a key for the rule's current walk of this kind; empty if the rule needs none.

    A rule that is deleted and created again gets another key.
    """
    if walk is Walk.RESCORE:
        return f"version {rule.rescored}" if rule.rescored else ""
    if rule.backfill is None:
        return ""
    ends = ("" if end is None else str(end) for end in rule.backfill)
    return f"{'-'.join(ends)} since {rule.since_us}"
