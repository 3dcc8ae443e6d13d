"""Derives walks over past runs from a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.online_rule import Walk

if TYPE_CHECKING:
    from spanloom.core.model.online_rule import OnlineRule


def walk_key(rule: OnlineRule, walk: Walk) -> str:
    """Return the identity of a rule's walk; empty if the rule needs no such walk.

    A rule that was deleted and created again has another identity.
    """
    if walk is Walk.RESCORE:
        return f"version {rule.rescored}" if rule.rescored else ""
    if rule.backfill is None:
        return ""
    ends = ("" if end is None else str(end) for end in rule.backfill)
    return f"{'-'.join(ends)} since {rule.since_us}"
