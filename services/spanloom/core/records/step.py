"""The record for a step in lists, which declares all fields and columns of steps."""

from collections.abc import Callable
from operator import itemgetter
from typing import Annotated, Any

from pydantic import Field

from spanloom.core.model.step import Step, StepType, Usage
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import (
    BuiltSteps,
    Example,
    FieldType,
    Group,
    Milliseconds,
    Moment,
    Other,
    Queried,
    Read,
    Row,
    StoredSteps,
)
from spanloom.core.records.record import Record

LONGEST_MESSAGE = 1000
"""Maximum length of an error message in rows, in characters; documents have the whole message."""
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_NO_USAGE = Usage()
_NAME = "LowCardinality(String)"
_ROOT = "if(StepId = RootId, '', leftPad(lower(hex(RootId)), 16, '0'))"


def _hex(number: str) -> str:
    return f"leftPad(lower(hex({number})), 16, '0')"


def _above(item: str) -> str:
    """Return SQL for the id of a step's parent or agent; if its position is 0, it is the root."""
    return f"if({item} = 0, {_ROOT}, {_hex(f'{item}Id')})"


def _milliseconds(nanoseconds: str) -> str:
    return f"intDiv({nanoseconds}, 1000000)"


def _of_models(column: str) -> str:
    return f"if(StepType = 'model', {column}, NULL)"


def _of_model(*items: str) -> Callable[[Row], Any]:
    """Return a function that adds up items of a model step, and returns ``None`` for others."""
    return lambda step: sum(step[item] for item in items) if step["Type"] == "model" else None


def _first_token_ns(step: Row) -> float | None:
    return None if (ms := step["FirstTokenMs"]) is None else ms * 1e6


def _error_code(step: Row) -> int | None:
    return None if step["ErrorCode"] in (0, -1) else step["ErrorCode"]


def _usages(built: BuiltSteps, name: str) -> list[int]:
    at = Usage._fields.index(name)
    return [(step.usage or _NO_USAGE)[at] for step in built.steps]


def _cost(step: Step) -> float | None:
    cost = step.metadata.get("cost")
    return None if cost is None else float(cost)


def _offsets(built: BuiltSteps) -> list[int]:
    """Return each step's start relative to the run's start, limited to the column's range.

    The range is 292 years; clocks that report the first and the last nanosecond of 64 bits are 584
    years apart.
    """
    offsets = [step.start_ns - built.start_ns for step in built.steps]
    if not offsets or (min(offsets) >= _INT64_MIN and max(offsets) <= _INT64_MAX):
        return offsets
    return [min(max(offset, _INT64_MIN), _INT64_MAX) for offset in offsets]


def _messages(built: BuiltSteps) -> list[str]:
    return [step.error.message[:LONGEST_MESSAGE] if step.error else "" for step in built.steps]


_TOKENS = "Of model steps; null for other steps."


class StepRow(Record):
    """One step with its run."""

    trace_id: Annotated[
        str, Read("TraceId"), Example("4bf92f3577b34da6a3ce929d0e0e4736"), Group.CORE
    ]
    project: Annotated[str, Read("Project"), Example("default"), Group.CORE]
    version: Annotated[
        int,
        Field(description="Of the trajectory: grows with every change."),
        Read("Version"),
        Example(1),
    ]
    run_started_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        Read(_milliseconds("StartTimeUnixNano")),
        Example("1715400000000"),
    ]
    position: Annotated[
        int,
        Field(description="Index among the steps of its run, from 0."),
        Read("(StepPlace - 1)"),
        Queried(
            "position",
            "Its place among the steps of the run, from 0.",
            "position < 3",
            value=lambda step: step["Place"] - 1,
        ),
        Example(3),
        Group.CORE,
    ]
    step_id: Annotated[
        str,
        Field(description="Its span id."),
        StoredSteps(
            "Id",
            "UInt64",
            "Span ids of the steps, as numbers, by start; of equal starts the longest first.",
            lambda built: [int(step.id, 16) for step in built.steps],
        ),
        Read(_hex("StepId")),
        Example("a1c4e1b7d2f30004"),
        Group.CORE,
    ]
    agent_id: Annotated[
        str | None,
        Field(description="The agent that it belongs to."),
        StoredSteps(
            "Agent",
            "UInt32",
            "Place of the agent that owns it, from 1; 0 where that is a root that is no step, and "
            "of the root.",
            lambda built: built.agents,
        ),
        Read(_above("StepAgent")),
        Example("a1c4e1b7d2f30001"),
    ] = None
    agent_name: Annotated[
        str | None,
        Read("StepOwner"),
        Queried(
            "owner",
            "The agent that the step belongs to.",
            'owner = "refunds"',
            value=itemgetter("Owner"),
        ),
        Example("travel_planner"),
        Group.CORE,
    ] = None
    parent_id: Annotated[
        str | None,
        Field(description="The nearest step above."),
        StoredSteps(
            "Parent",
            "UInt32",
            "Place of the nearest step above, from 1; 0 below a root that is no step.",
            lambda built: built.parents,
        ),
        Read(_above("StepParent")),
        Example("a1c4e1b7d2f30001"),
    ] = None
    type: Annotated[
        StepType,
        StoredSteps(
            "Type",
            "Enum8('agent' = 1, 'model' = 2, 'tool' = 3, 'graph' = 4)",
            "What they are.",
            lambda built: [step.type for step in built.steps],
        ),
        Read("toString(StepType)"),
        Queried("type", "The kind of the step.", "type = tool"),
        Example("tool"),
        Group.CORE,
    ]
    name: Annotated[
        str,
        StoredSteps(
            "Name", _NAME, "Their names.", lambda built: [step.name for step in built.steps]
        ),
        Read("StepName"),
        Queried("name", "The name of the step.", 'name = "search"'),
        Example("search"),
        Group.CORE,
    ]
    dialect: Annotated[
        str,
        StoredSteps(
            "Dialect",
            _NAME,
            "Dialects that classified them.",
            lambda built: [step.dialect for step in built.steps],
        ),
        Read("StepDialect"),
        Example("openinference"),
    ]
    started_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        StoredSteps(
            "StartNs",
            "Int64",
            "Start in nanoseconds since the start of the root; below 0 where a clock disagrees.",
            _offsets,
        ),
        Read(
            "toUInt64("
            + _milliseconds("greatest(toInt128(StartTimeUnixNano) + StepStartNs, toInt128(0))")
            + ")"
        ),
        Example("1715400001200"),
        Group.CORE,
    ]
    duration: Annotated[
        Milliseconds,
        Field(description="Milliseconds."),
        StoredSteps(
            "DurationNs",
            "UInt64",
            "Duration in nanoseconds.",
            lambda built: [max(step.end_ns - step.start_ns, 0) for step in built.steps],
        ),
        Read(_milliseconds("StepDurationNs")),
        Queried("duration", "From its start to its end.", "duration > 2s", sql="StepDurationNs"),
        Example("350"),
        Group.CORE,
    ]
    model: Annotated[
        str | None,
        StoredSteps(
            "Model",
            _NAME,
            "Model that answered, of model steps.",
            lambda built: [step.model for step in built.steps],
        ),
        Read("StepModel"),
        Queried("model", "The model that was called.", 'model ~ "^gpt-4"'),
        Example(None),
        Group.CORE,
    ] = None
    input_tokens: Annotated[
        int | None,
        Field(description=_TOKENS),
        StoredSteps(
            "InputTokens",
            "Int64",
            "Input tokens of model steps, cached ones included.",
            lambda built: _usages(built, "input_tokens"),
        ),
        Read(_of_models("StepInputTokens")),
        Queried(
            "input_tokens",
            "Input tokens of a model call.",
            "input_tokens > 8000",
            sql="StepInputTokens",
            is_there="StepType = 'model'",
            value=_of_model("InputTokens"),
        ),
        Example(None),
        Group.METRICS,
    ] = None
    output_tokens: Annotated[
        int | None,
        Field(description=_TOKENS),
        StoredSteps(
            "OutputTokens",
            "Int64",
            "Output tokens of model steps, reasoning included.",
            lambda built: _usages(built, "output_tokens"),
        ),
        Read(_of_models("StepOutputTokens")),
        Queried(
            "output_tokens",
            "Output tokens of a model call.",
            "output_tokens = 0",
            sql="StepOutputTokens",
            is_there="StepType = 'model'",
            value=_of_model("OutputTokens"),
        ),
        Example(None),
        Group.METRICS,
    ] = None
    reasoning_tokens: Annotated[
        int | None,
        Field(description=_TOKENS),
        StoredSteps(
            "ReasoningTokens",
            "Int64",
            "Reasoning tokens among the output tokens.",
            lambda built: _usages(built, "reasoning_tokens"),
        ),
        Read(_of_models("StepReasoningTokens")),
        Example(None),
        Group.METRICS,
    ] = None
    cache_read_tokens: Annotated[
        int | None,
        Field(description=_TOKENS),
        StoredSteps(
            "CacheReadTokens",
            "Int64",
            "Input tokens read from a cache.",
            lambda built: _usages(built, "cache_read_tokens"),
        ),
        Read(_of_models("StepCacheReadTokens")),
        Example(None),
        Group.METRICS,
    ] = None
    cache_creation_tokens: Annotated[
        int | None,
        Field(description=_TOKENS),
        StoredSteps(
            "CacheCreationTokens",
            "Int64",
            "Input tokens written to a cache.",
            lambda built: _usages(built, "cache_creation_tokens"),
        ),
        Read(_of_models("StepCacheCreationTokens")),
        Example(None),
        Group.METRICS,
    ] = None
    cost: Annotated[
        float | None,
        Field(description="US dollars, of model steps; null if a price is unknown."),
        StoredSteps(
            "Cost",
            "Nullable(Float64)",
            "What model steps cost in US dollars; NULL where nobody knows.",
            lambda built: [_cost(step) for step in built.steps],
        ),
        Read(_of_models("StepCost")),
        Queried(
            "cost",
            "What a model call cost, in US dollars; absent where the price is unknown.",
            "cost > 0.05",
            sql="assumeNotNull(StepCost)",
            # An agent's cost is the sum of its calls' costs, which would count twice.
            is_there="(isNotNull(StepCost) AND StepType = 'model')",
            value=lambda step: step["Cost"] if step["Type"] == "model" else None,
        ),
        Example(None),
        Group.METRICS,
    ] = None
    first_token_ms: Annotated[
        float | None,
        Field(description="Milliseconds; null if unknown."),
        StoredSteps(
            "FirstTokenMs",
            "Nullable(Float64)",
            "Time to the first token in milliseconds, where known.",
            lambda built: [step.first_token_ms for step in built.steps],
        ),
        Read("StepFirstTokenMs"),
        Queried(
            "first_token",
            "From its start to the first token.",
            "first_token > 500ms",
            FieldType.DURATION,
            sql="(assumeNotNull(StepFirstTokenMs) * 1e6)",
            is_there="isNotNull(StepFirstTokenMs)",
            value=_first_token_ns,
        ),
        Example(None),
        Group.METRICS,
    ] = None
    has_error: Annotated[
        bool,
        StoredSteps(
            "HasError",
            "Bool",
            "Whether they failed.",
            lambda built: [step.error is not None for step in built.steps],
        ),
        Read("StepHasError"),
        Queried("error", "It failed."),
        Example(True),  # the value of the example
        Group.CORE,
    ]
    error_code: Annotated[
        int | None,
        Field(description="The HTTP or provider code."),
        StoredSteps(
            "ErrorCode",
            "Int64",
            "HTTP or provider code of the failure, -1 if it has none, 0 without failure.",
            lambda built: [step.error.code if step.error else 0 for step in built.steps],
        ),
        Read("if(StepErrorCode IN (0, -1), NULL, StepErrorCode)"),
        Queried(
            "error_code",
            "The HTTP or provider code of its failure.",
            "error_code = 429",
            sql="StepErrorCode",
            is_there="StepErrorCode NOT IN (0, -1)",
            value=_error_code,
        ),
        Example(429),
    ] = None
    error_type: Annotated[
        str | None,
        StoredSteps(
            "ErrorType",
            _NAME,
            "Name of the exception, or another word for what went wrong; empty where nothing "
            "tells.",
            lambda built: [step.error.type if step.error else "" for step in built.steps],
        ),
        Read("StepErrorType"),
        Queried("error_type", "The name of its exception.", 'error_type = "RateLimitError"'),
        Example("RateLimitError"),
    ] = None
    error_message: Annotated[
        str | None,
        Field(description="Its first 1,000 characters."),
        StoredSteps(
            "ErrorMessage", "String", "First 1,000 characters of what the failure says.", _messages
        ),
        Read("StepErrorMessage"),
        Queried("error_message", "What its failure says.", 'error_message ~ "timeout"'),
        Example("rate limit exceeded"),
    ] = None
    attributes: Annotated[
        list[str],
        Field(description="Attributes added by senders, `key=value`."),
        StoredSteps(
            "Attributes", "Array(String)", "What senders add to each, `key=value`, sorted."
        ),
        Read("StepAttributes"),
        Example(["tier=gold"]),
    ]
    duplicate_of: Annotated[
        str | None,
        Field(description="The trace that its run reports again."),
        Read("DuplicateOf"),
        Example(None),
    ] = None


def _named(kind: str, description: str, example: str) -> Other:
    there = f"(StepType = '{kind}' AND StepName != '')"
    return Other(
        queried=Queried(
            kind,
            description,
            example,
            FieldType.TEXT,
            sql="StepName",
            is_there=there,
            value=lambda step: step["Name"] if step["Type"] == kind else None,
        )
    )


OTHERS = (
    _named("tool", "The name of a tool; no other step has one.", 'tool = "search"'),
    _named("agent", "The name of an agent; no other step has one.", 'agent = "refunds"'),
    Other(
        queried=Queried(
            "tokens",
            "Input and output tokens of a model call.",
            "tokens > 8000",
            sql="(StepInputTokens + StepOutputTokens)",
            is_there="StepType = 'model'",
            value=_of_model("InputTokens", "OutputTokens"),
        )
    ),
    Other(
        StoredSteps(
            "Args",
            "UInt32",
            "CRC-32 of a tool and its arguments, to find the same call again; 0 of other steps.",
            lambda built: built.args,
        ),
        Queried(
            "args_key",
            "The fingerprint of a tool and its arguments.",
            'args_key = "1f3a"',
            FieldType.TEXT,
            sql="leftPad(lower(hex(StepArgs)), 8, '0')",
            is_there="StepArgs != 0",
            value=lambda step: f"{step['Args']:08x}" if step["Args"] else None,
        ),
    ),
    Other(
        queried=Queried(
            "input",
            "Words of what the step was given that no step before it was.",
            'input: "rate limit"',
            FieldType.WORDS,
        )
    ),
    Other(
        queried=Queried(
            "output", "Words of what the step gave.", 'output: "rate limit"', FieldType.WORDS
        )
    ),
    Other(
        queried=Queried(
            "metadata",
            "Attributes added by senders, by key.",
            'metadata.tier = "gold"',
            FieldType.TEXT,
            sql="StepAttributes",
            value=itemgetter("Attributes"),
            has_keys=True,
        )
    ),
    Other(
        queried=Queried(
            "annotated", "It has an annotation.", type=FieldType.FLAG, is_judgement=True
        )
    ),
    Other(
        queried=Queried(
            "score",
            "What it was given; of a mark, what it takes off.",
            "score.step_evaluation <= -5",
            FieldType.NUMBER,
            has_keys=True,
            is_judgement=True,
        )
    ),
    Other(
        StoredSteps(
            "Enter",
            "UInt32",
            "When a walk from the top down meets it, from 1.",
            lambda built: built.enters,
        )
    ),
    Other(
        StoredSteps(
            "Exit",
            "UInt32",
            "When that walk meets the last step below it: what is under it entered in between.",
            lambda built: built.exits,
        )
    ),
    Other(
        StoredSteps("Text", "UInt64", "Hash of what each brought into the run in texts; 0: none.")
    ),
)
"""Columns of steps, and fields of ``where``, that the record does not have."""

_FIRST = (
    "type name tool agent owner model duration first_token error error_code error_type"
    " error_message tokens input_tokens output_tokens cost position args_key input output metadata"
    " annotated score"
)
STEP = Declaration(StepRow, OTHERS, _FIRST.split())
