"""Converts online rules and work items (``Work``) to rows and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.model.online_rule import (
    BackfillRange,
    OnlineRule,
    RuleBudget,
    Unit,
    When,
    Work,
    WorkState,
)
from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.columns import to_json
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.storage.engine.parameters import Row

_ATTRIBUTES = {
    "Rule": "rule",
    "RuleVersion": "rule_version",
    "Version": "version",
    "AskedUnixMicro": "known_us",
    "DueUnixMicro": "due_us",
    "IsSettled": "is_settled",
    "State": "state",
    "Revision": "revision",
    "Attempts": "attempts",
    "Views": "views",
    "IsJudged": "is_judged",
    "Calls": "calls",
    "Tokens": "tokens",
    "Cost": "cost",
    "JudgedUnixMicro": "judged_us",
    "Error": "error",
}
WORK_COLUMNS = Condition(", ".join(("Project", "TraceId", *_ATTRIBUTES)), {})


def work_row(work: Work) -> Mapping[str, object]:
    """Return a work item as a row: its values by column name."""
    values = {column: getattr(work, name) for column, name in _ATTRIBUTES.items()}
    return {"Project": work.key.project, "TraceId": work.key.trace_id, **values}


def work_of(row: Row) -> Work:
    """Return the work item in a row that has the columns ``WORK_COLUMNS``."""
    given = dict(zip(_ATTRIBUTES.values(), row[2:], strict=True))
    return Work(TraceKey(row[0], row[1]), **{**given, "state": WorkState(given["state"])})


def rule_row(rule: OnlineRule) -> Mapping[str, object]:
    """Return a rule as a row: its values by column name."""
    backfill = rule.backfill
    definition = {
        "where": rule.where,
        "evaluators": rule.evaluators,
        "sample": rule.sample,
        "unit": rule.unit.value,
        "when": rule.when.value,
        "delay_s": rule.delay_s,
        "budget": rule.budget._asdict(),
        "backfill": None if backfill is None else list(backfill),
        "rescored": rule.rescored,
    }
    row: dict[str, object] = {
        "Project": rule.project,
        "Name": rule.name,
        "Version": rule.version,
        "Definition": to_json(definition),
        "IsPaused": rule.is_paused,
        "IsDeleted": rule.is_deleted,
        "AtUnixMicro": rule.at_us,
        "PutBy": rule.put_by,
    }
    if rule.since_us:
        seconds, micros = divmod(rule.since_us, 1_000_000)
        row["SinceAt"] = f"{seconds}.{micros:06d}"
    return row


def rule_of(row: Row) -> OnlineRule:
    """Return a rule built from a row of ``read_online_rules.sql``."""
    definition: dict[str, Any] = orjson.loads(row.Definition)
    backfill = definition.pop("backfill")
    return OnlineRule(
        project=row.Project,
        name=row.Name,
        version=row.Version,
        unit=Unit(definition.pop("unit")),
        when=When(definition.pop("when")),
        budget=RuleBudget(**definition.pop("budget")),
        backfill=None if backfill is None else BackfillRange(*backfill),
        is_paused=row.IsPaused,
        is_deleted=row.IsDeleted,
        since_us=row.Since,
        at_us=row.AtUnixMicro,
        put_by=row.PutBy,
        **definition,
    )
