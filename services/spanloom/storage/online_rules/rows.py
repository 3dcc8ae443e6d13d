"""Rows of online rules and their work, and back."""

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
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.storage.engine.parameters import Row

_COLUMNS = (
    *("Project", "TraceId", "Rule", "RuleVersion", "Version", "AskedUnixMicro", "DueUnixMicro"),
    *("IsSettled", "State", "Revision", "Attempts", "Views", "IsJudged"),
    *("Calls", "Tokens", "Cost", "JudgedUnixMicro", "Error"),
)
WORK_COLUMNS = Condition(", ".join(_COLUMNS), {})


def work_row(work: Work) -> Mapping[str, object]:
    """Return work as column → value."""
    values = (
        *(*work.key, work.rule, work.rule_version, work.version, work.asked_us, work.due_us),
        *(work.is_settled, work.state.value, work.revision, work.attempts, dict(work.views)),
        *(work.is_judged, work.calls, work.tokens, work.cost, work.judged_us, work.error),
    )
    return dict(zip(_COLUMNS, values, strict=True))


def work_of(row: Row) -> Work:
    """Return the work of a row with ``WORK_COLUMNS``."""
    project, trace_id, *rest, state, revision, attempts, views = row[:12]
    return Work(
        TraceKey(project, trace_id), *rest, WorkState(state), revision, attempts, views, *row[12:]
    )


def rule_row(rule: OnlineRule) -> Mapping[str, object]:
    """Return a rule as column → value."""
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
        "Definition": orjson.dumps(definition).decode(),
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
    """Return the rule of a row of ``read_online_rules.sql``."""
    told: dict[str, Any] = orjson.loads(row.Definition)
    backfill = told.pop("backfill")
    return OnlineRule(
        project=row.Project,
        name=row.Name,
        version=row.Version,
        unit=Unit(told.pop("unit")),
        when=When(told.pop("when")),
        budget=RuleBudget(**told.pop("budget")),
        backfill=None if backfill is None else BackfillRange(*backfill),
        is_paused=row.IsPaused,
        is_deleted=row.IsDeleted,
        since_us=row.Since,
        at_us=row.AtUnixMicro,
        put_by=row.PutBy,
        **told,
    )
