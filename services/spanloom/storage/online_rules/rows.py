"""Converts online rules and work items (``Work``) to rows and back."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import orjson
from pydantic import TypeAdapter

from spanloom.core.model.online_rule import (
    BackfillRange,
    OnlineRule,
    RuleBudget,
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
    defined = {name: getattr(rule, name) for name in _DEFINED}
    row: dict[str, object] = {column: getattr(rule, name) for column, name in _COLUMNS.items()}
    row["Definition"] = to_json({name: _as_json(value) for name, value in defined.items()})
    if rule.since_us:  # otherwise the store sets the time
        seconds, micros = divmod(rule.since_us, 1_000_000)
        row["SinceAt"] = f"{seconds}.{micros:06d}"
    return row


def rule_of(row: Row) -> OnlineRule:
    """Return a rule built from a row of ``read_online_rules.sql``; unknown members are ignored."""
    columns = {name: getattr(row, column) for column, name in _COLUMNS.items()}
    defined = orjson.loads(row.Definition)
    return _RULES.validate_python({**defined, **columns, "since_us": row.Since})


def _as_json(value: object) -> object:
    if isinstance(value, RuleBudget):
        return value._asdict()
    return list(value) if isinstance(value, BackfillRange) else value


_RULES = TypeAdapter(OnlineRule)
_COLUMNS = {
    "Project": "project",
    "Name": "name",
    "Version": "version",
    "IsPaused": "is_paused",
    "IsDeleted": "is_deleted",
    "AtUnixMicro": "at_us",
    "PutBy": "put_by",
}
_DEFINED = [
    one.name for one in fields(OnlineRule) if one.name not in {*_COLUMNS.values(), "since_us"}
]
"""The attributes that the column ``Definition`` stores: those without a column."""
