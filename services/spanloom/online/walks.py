"""Identifies the walks of a rule over past runs (``walker.py``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import Walk

if TYPE_CHECKING:
    from spanloom.core.model.online_rule import OnlineRule


def walk_key(rule: OnlineRule, walk: Walk) -> str:
    """Return a text that identifies a walk of a rule; empty if the rule needs no such walk.

    For a rule that was deleted and created again it is another text.
    """
    if walk is Walk.RESCORE:
        return f"version {rule.rescored}" if rule.rescored else ""
    if rule.backfill is None:
        return ""
    ends = ("" if end is None else str(end) for end in rule.backfill)
    return f"{'-'.join(ends)} since {rule.since_us}"
