"""What each field of a ``where`` is in SQL: declared once, beside ``core/query/where/fields.py``.

Of a step, names such as ``StepName`` stand for one item of the array ``Steps.Name``: a parameter of
a lambda, or what ``ARRAY JOIN`` gives that name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.where.fields import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Column(NamedTuple):
    """How a field is read."""

    sql: str
    """Its value, never NULL; of a list an array."""
    is_there: str = ""
    """Under which condition it has a value; empty: always."""


def _text(sql: str) -> Column:
    return Column(sql, f"{sql} != ''")


def _of_models(sql: str) -> Column:
    return Column(sql, "StepType = 'model'")


_OWNER = "toString(`Steps.Name`[StepAgent])"
_ARGS = "leftPad(lower(hex(StepArgs)), 8, '0')"

RUN_COLUMNS: Mapping[str, Column] = {
    "project": _text("Project"),
    "trace_id": _text("TraceId"),
    "status": Column("Status"),
    "outcome": Column("Outcome"),
    "start": Column("StartTimeUnixNano"),
    "duration": Column("DurationNs"),
    "root_name": _text("RootName"),
    "root_type": Column("RootType"),
    "has_error": Column("HasError"),
    "agent": Column("AgentNames"),
    "model": Column("Models"),
    "dialect": Column("Dialects"),
    "service": Column("Services"),
    "tag": Column("Tags"),
    "environment": _text("Environment"),
    "user": _text("UserId"),
    "conversation": _text("ConversationId"),
    "version": Column("Version"),
    "steps": Column("(AgentSteps + ModelSteps + ToolSteps + GraphSteps)"),
    "model_steps": Column("ModelSteps"),
    "tool_steps": Column("ToolSteps"),
    "agent_steps": Column("AgentSteps"),
    "spans": Column("SpanCount"),
    "tokens": Column("(InputTokens + OutputTokens)"),
    "input_tokens": Column("InputTokens"),
    "output_tokens": Column("OutputTokens"),
    "reasoning_tokens": Column("ReasoningTokens"),
    "cache_read_tokens": Column("CacheReadTokens"),
    "cost": Column("assumeNotNull(Cost)", "isNotNull(Cost)"),
    "model_time": Column("ModelDurationNs"),
    "tool_time": Column("ToolDurationNs"),
    "failures": Column("Failures"),
    "tool_errors": Column("ToolErrors"),
    "model_errors": Column("ModelErrors"),
    "warning": Column("Warnings"),
    "duplicate": Column("(DuplicateOf != '')"),
    "longest_repeat": Column("LongestRepeat"),
    "most_repeats": Column("MostRepeats"),
    "metadata": Column("Attributes"),
}

STEP_COLUMNS: Mapping[str, Column] = {
    "type": Column("toString(StepType)"),
    "name": _text("StepName"),
    "tool": Column("StepName", "(StepType = 'tool' AND StepName != '')"),
    "agent": Column("StepName", "(StepType = 'agent' AND StepName != '')"),
    "owner": _text(_OWNER),
    "model": _text("StepModel"),
    "duration": Column("StepDurationNs"),
    "first_token": Column("(assumeNotNull(StepFirstTokenMs) * 1e6)", "isNotNull(StepFirstTokenMs)"),
    "error": Column("StepHasError"),
    "error_code": Column("StepErrorCode", "StepErrorCode NOT IN (0, -1)"),
    "error_message": _text("StepErrorMessage"),
    "tokens": _of_models("(StepInputTokens + StepOutputTokens)"),
    "input_tokens": _of_models("StepInputTokens"),
    "output_tokens": _of_models("StepOutputTokens"),
    # An agent tells the sum of its calls, which would count twice.
    "cost": Column("assumeNotNull(StepCost)", "(isNotNull(StepCost) AND StepType = 'model')"),
    "position": Column("(StepPlace - 1)"),
    "args_key": Column(_ARGS, "StepArgs != 0"),
    "metadata": Column("StepAttributes"),
}

COLUMNS: Mapping[Subject, Mapping[str, Column]] = {
    Subject.RUN: RUN_COLUMNS,
    Subject.STEP: STEP_COLUMNS,
}

_ITEMS = {
    f"Step{name}": f"`Steps.{name}`"
    for name in (
        *("Id", "Type", "Name", "Agent", "Parent", "Enter", "Exit", "StartNs", "DurationNs"),
        *("Dialect", "Model", "InputTokens", "OutputTokens", "ReasoningTokens"),
        *("CacheReadTokens", "CacheCreationTokens", "Cost", "FirstTokenMs"),
        *("HasError", "ErrorCode", "ErrorType", "ErrorMessage", "Args", "Attributes", "Text"),
    )
} | {"StepPlace": "arrayEnumerate(`Steps.Id`)"}
"""Name of an item → the array that it is of."""
_ITEM = re.compile(r"\bStep[A-Z]\w*")


def items_in(sql: str) -> Sequence[tuple[str, str]]:
    """Return the items of steps that an expression names, each with its array.

    No literal stands in it, so whatever looks like one is one.
    """
    return [(name, _ITEMS[name]) for name in dict.fromkeys(_ITEM.findall(sql))]


def joined_items(sql: str) -> str:
    """Return what ``ARRAY JOIN`` makes a row of each step of, for an expression that names some."""
    return ", ".join(f"{array} AS {name}" for name, array in items_in(sql))
