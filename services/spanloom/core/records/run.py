"""The record for a run in lists, which declares all fields and columns of runs."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from spanloom.core.model.clocks import listed_start_ns
from spanloom.core.model.trajectory import Kind, Outcome, Status
from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import (
    BuiltRun,
    Example,
    FieldType,
    Group,
    Milliseconds,
    Moment,
    Other,
    Queried,
    Row,
    Stored,
    StoredCounts,
    Tables,
)
from spanloom.core.records.record import Record
from spanloom.core.records.step import LONGEST_MESSAGE

_NAME = "LowCardinality(String)"
_NAMES = "Array(LowCardinality(String))"
_INT64_MAX = 2**63 - 1
_STEPS = ("AgentSteps", "ModelSteps", "ToolSteps", "GraphSteps")
_HAS_STEPS = (
    f"({' + '.join(_STEPS)} > 0 OR Outcome NOT IN ('ok', 'unfinished') OR Status = 'failed')"
)
_FIRST_FAILED = "`Steps.{}`[arrayFirstIndex(failed -> failed, `Steps.HasError`)]"
"""Default for rows stored before the column existed: an item of the first failed step."""
_FIRST_OUTPUT = (
    "arrayMin((start, ms) -> start + ifNull(ms, inf) * 1e6, `Steps.StartNs`, `Steps.FirstTokenMs`)"
)
_REPEATED_CALLS = (
    "toUInt32(greatest(arrayCount(step -> step = 0, arrayDifference("
    "arrayFilter((args, type) -> type = 'tool', `Steps.Args`, `Steps.Type`))), 1) - 1)"
)
"""SQL for the number of tool calls that equal the previous tool call.

1 is subtracted, because the first element of ``arrayDifference`` is always 0.
"""
_WALL_TIME = (
    f"toUInt64(greatest(toInt64(least(DurationNs, {_INT64_MAX})),"
    f" arrayMax((start, ns) -> start + toInt64(least(ns, {_INT64_MAX} - greatest(start, 0))),"
    " `Steps.StartNs`, `Steps.DurationNs`)) - least(0, arrayMin(`Steps.StartNs`)))"
)


def _has_steps(row: Row) -> bool:
    is_otherwise_shown = row["Outcome"] not in ("ok", "unfinished") or row["Status"] == "failed"
    return is_otherwise_shown or _sum(row, _STEPS) > 0


def _sum(row: Row, columns: Iterable[str]) -> int:
    return sum(row[column] for column in columns)


def _first_output(row: Row) -> float | None:
    tokens = zip(row["Steps.StartNs"], row["Steps.FirstTokenMs"], strict=True)
    return min((start + ms * 1e6 for start, ms in tokens if ms is not None), default=None)


def _repeated_calls(row: Row) -> int:
    steps = zip(row["Steps.Type"], row["Steps.Args"], strict=True)
    calls = [args for type_, args in steps if type_ == "tool"]
    return sum(before == one for before, one in pairwise(calls))


def _wall_time(row: Row) -> int:
    steps = list(zip(row["Steps.StartNs"], row["Steps.DurationNs"], strict=True))
    ends = (start + min(ns, _INT64_MAX - max(start, 0)) for start, ns in steps)
    last = max(min(row["DurationNs"], _INT64_MAX), max(ends, default=0))
    first = min(0, min((start for start, _ in steps), default=0))
    return int(last - first)


def _extra(run: BuiltRun, name: str, default: object) -> object:
    return run.trajectory.extras.get(name, default)


def _cost(run: BuiltRun) -> object:
    cost = run.trajectory.extras.get("cost")
    return cost["usd"] if isinstance(cost, dict) else None


def _original(run: BuiltRun, part: str) -> str:
    original = run.trajectory.duplicate_of
    return getattr(original, part) if original else ""


def _steps(kind: str, comment: str, queried: Queried | None = None) -> Other:
    """Declare the column with the number of steps of a kind."""
    column = "OtherSpans" if kind == "other" else f"{kind.title()}Steps"
    count = Stored(column, "UInt32", comment, lambda run: run.trajectory.step_counts.get(kind, 0))
    return Other(count, queried)


_COUNTS = {
    "agent": _steps(
        "agent", "Agent steps.", Queried("agent_steps", "Runs of agents.", "agent_steps > 1")
    ),
    "model": _steps(
        "model", "Model steps.", Queried("model_steps", "Calls of models.", "model_steps >= 10")
    ),
    "tool": _steps(
        "tool", "Tool steps.", Queried("tool_steps", "Runs of tools.", "tool_steps = 0")
    ),
    "graph": _steps("graph", "Graph steps."),
    "other": _steps("other", "Spans that are no step."),
}


class Run(Record):
    """One line of the list: a summary of the document."""

    trace_id: Annotated[
        str,
        Stored("TraceId", "String", "Trace id.", lambda run: run.trajectory.trace_id),
        Queried("trace_id", "The trace id, lowercase hex.", 'trace_id ~ "^90b3"'),
        Example("4bf92f3577b34da6a3ce929d0e0e4736"),
        Group.CORE,
    ]
    project: Annotated[
        str,
        Stored("Project", _NAME, "Tenant.", lambda run: run.trajectory.project),
        Queried("project", "The project that the spans were sent to.", 'project = "shop"'),
        Example("default"),
        Group.CORE,
    ]
    version: Annotated[
        int,
        Field(description="Grows with every change."),
        Stored("Version", "UInt32", "Version of the trajectory.", lambda run: run.version),
        Queried("version", "How many times it has been built.", "version > 1"),
        Example(1),
        Group.CORE,
    ]
    status: Annotated[
        Status,
        Stored("Status", _NAME, "live, settled, partial or failed.", lambda run: run.status.value),
        Queried("status", "How complete the trace is.", "status = live"),
        Example("settled"),
        Group.CORE,
    ]
    root_name: Annotated[
        str,
        Stored("RootName", _NAME, "Name of the root span.", lambda run: run.trajectory.root.name),
        Queried("root_name", "The name of the root.", 'root_name = "travel_planner"'),
        Example("travel_planner"),
        Group.CORE,
    ]
    root_type: Annotated[
        Kind,
        Stored(
            "RootType",
            _NAME,
            "agent, model, tool, graph or other.",
            lambda run: run.trajectory.root_type.value,
        ),
        Queried("root_type", "What the root is.", "root_type = agent"),
        Example("agent"),
        Group.CORE,
    ]
    started_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch; not later than its arrival."),
        Stored(
            "StartTimeUnixNano",
            "UInt64",
            "Start of the root in nanoseconds since the epoch.",
            lambda run: listed_start_ns(run.trajectory.root.start_ns, run.seq),
            codec="Delta, ZSTD(1)",
        ),
        Queried("start", "When it started.", 'start >= "2026-01-31T12:00:00Z"'),
        Example("1715400000000"),
        Group.CORE,
    ]
    duration: Annotated[
        Milliseconds,
        Field(description="Milliseconds."),
        Stored(
            "DurationNs",
            "UInt64",
            "Duration of the root in nanoseconds.",
            lambda run: max(run.trajectory.root.end_ns - run.trajectory.root.start_ns, 0),
        ),
        Queried("duration", "From the start to the end of the root.", "duration > 20s"),
        Example("4500"),
        Group.CORE,
    ]
    has_error: Annotated[
        bool,
        Field(description="Whether anything failed and was not recovered."),
        Stored(
            "HasError",
            "Bool",
            "Whether anything failed that the run did not get over.",
            lambda run: run.trajectory.has_error,
        ),
        Queried("has_error", "Something failed and was not recovered."),
        Example(False),  # the value of the example
        Group.CORE,
    ]
    outcome: Annotated[
        Outcome,
        Field(description="How the run ended."),
        Stored(
            "Outcome",
            _NAME,
            "ok, recovered (what failed was got over), paused (waits for a person), cancelled "
            "(stopped from outside) or failed.",
            lambda run: run.trajectory.outcome.value,
        ),
        Queried("outcome", "How the run ended.", "outcome in (failed, paused)"),
        Example("ok"),
        Group.CORE,
    ]
    failures: Annotated[
        int,
        Field(description="Failures, recovered ones included."),
        Stored(
            "Failures",
            "UInt32",
            "How many failures there were, each where it happened.",
            lambda run: run.trajectory.failure_count,
        ),
        Queried("failures", "Failures, recovered ones included.", "failures > 2"),
        Example(0),
        Group.METRICS,
    ]
    agent_names: Annotated[
        list[str],
        Stored(
            "AgentNames",
            _NAMES,
            "Names of the agents, in the order in which they began.",
            lambda run: run.agent_names,
        ),
        Queried("agent", "An agent that ran.", 'agent = "refunds"'),
        Example(["travel_planner"]),
    ]
    step_counts: Annotated[
        dict[str, int],
        Field(description="Steps by type."),
        StoredCounts(_COUNTS),
        Example({"agent": 1, "model": 3, "tool": 2, "graph": 0, "other": 8}),
        Group.METRICS,
    ]
    span_count: Annotated[
        int,
        Stored(
            "SpanCount",
            "UInt32",
            "Stored spans of the trace.",
            lambda run: run.trajectory.span_count,
        ),
        Queried("spans", "Spans of the trace.", "spans > 10000"),
        Example(14),
        Group.METRICS,
    ]
    input_tokens: Annotated[
        int,
        Stored(
            "InputTokens",
            "Int64",
            "Input tokens of all model steps.",
            lambda run: run.trajectory.root_metrics.input_tokens,
        ),
        Queried("input_tokens", "Input tokens, cached ones included.", "input_tokens >= 5000"),
        Example(650),
        Group.METRICS,
    ]
    output_tokens: Annotated[
        int,
        Stored(
            "OutputTokens",
            "Int64",
            "Output tokens of all model steps.",
            lambda run: run.trajectory.root_metrics.output_tokens,
        ),
        Queried("output_tokens", "Output tokens, reasoning included.", "output_tokens > 2000"),
        Example(260),
        Group.METRICS,
    ]
    cost: Annotated[
        float | None,
        Field(description="US dollars; null if a price is unknown."),
        Stored(
            "Cost",
            "Nullable(Float64)",
            "What its model calls cost in US dollars; NULL where a price is unknown.",
            _cost,
            Tables.LIST,
        ),
        Queried(
            "cost",
            "What the model calls cost, in US dollars; absent where a price is unknown.",
            "cost > 0.05",
        ),
        Example(0.0042),
        Group.METRICS,
    ] = None
    dialects: Annotated[
        list[str],
        Stored(
            "Dialects",
            _NAMES,
            "Dialects that classified the spans.",
            lambda run: list(run.trajectory.dialects),
        ),
        Queried("dialect", "A dialect of its spans.", 'dialect = "openinference"'),
        Example(["openinference"]),
    ]
    duplicate_of: Annotated[
        str | None,
        Field(description="The trace that this one reports again."),
        Stored(
            "DuplicateOf",
            "String",
            "Trace that this one reports again, or empty.",
            lambda run: _original(run, "trace_id"),
        ),
        Queried(
            "duplicate",
            "It only repeats another trace.",
            type=FieldType.FLAG,
            sql="(DuplicateOf != '')",
            value=lambda row: row["DuplicateOf"] != "",
        ),
    ] = None
    conversation_id: Annotated[
        str | None,
        Field(description="The conversation that the run belongs to."),
        Stored(
            "ConversationId",
            "String",
            "Conversation that the run belongs to, or empty.",
            lambda run: run.trajectory.conversation_id,
        ),
        Queried("conversation", "The conversation that it belongs to.", "conversation exists"),
        Example("trip-to-shanghai"),
    ] = None
    question: Annotated[
        str,
        Field(description="The question, one line of at most 200 characters."),
        Stored(
            "Question",
            "String",
            "What was asked, one line of at most 200 characters.",
            lambda run: run.question,
        ),
        Example("Three days in Shanghai, from Saturday: what should I see?"),
    ] = ""
    answer: Annotated[
        str,
        Field(description="The answer, one line of at most 200 characters."),
        Stored(
            "Answer",
            "String",
            "What was answered, one line of at most 200 characters.",
            lambda run: run.answer,
        ),
        Example("Saturday: the Bund and Disneyland. Sunday: Shanghai Museum, if it rains."),
    ] = ""
    models: Annotated[
        list[str],
        Field(description="Models that were called."),
        Stored(
            "Models",
            _NAMES,
            "Models that were called, sorted.",
            lambda run: _extra(run, "models", []),
        ),
        Queried("model", "A model that was called.", 'model ~ "^gpt-4"'),
        Example(["gpt-4o"]),
    ] = []  # noqa: RUF012  # pydantic copies it
    services: Annotated[
        list[str],
        Field(description="Services that sent spans."),
        Stored(
            "Services",
            _NAMES,
            "Services that sent spans.",
            lambda run: _extra(run, "services", []),
        ),
        Queried("service", "A service that sent spans.", 'service = "travel"'),
        Example(["travel"]),
    ] = []  # noqa: RUF012  # pydantic copies it
    environment: Annotated[
        str | None,
        Field(description="Where it ran, as reported by the sender."),
        Stored(
            "Environment",
            _NAME,
            "Where it ran, as the sender says: production.",
            lambda run: _extra(run, "environment", ""),
        ),
        Queried("environment", "Where it ran.", 'environment = "production"'),
        Example("production"),
    ] = None
    release: Annotated[
        str | None,
        Field(description="Which version of the agent ran, as reported by the sender."),
        Stored(
            "Release",
            _NAME,
            "Which version of the agent ran, as the sender says; or empty.",
            lambda run: _extra(run, "release", ""),
        ),
        Queried("release", "Which version of the agent ran.", 'release = "1.4.0"'),
        Example("1.4.0"),
    ] = None
    user_id: Annotated[
        str | None,
        Field(description="For whom it ran, as reported by the sender."),
        Stored(
            "UserId",
            "String",
            "For whom it ran, as the sender says; empty where it names none, or several.",
            lambda run: _extra(run, "user_id", ""),
        ),
        Queried("user", "For whom it ran.", 'user = "ada"'),
        Example("user-ada"),
    ] = None
    tags: Annotated[
        list[str],
        Field(description="Tags set by the sender."),
        Stored("Tags", _NAMES, "Tags of the sender, sorted.", lambda run: _extra(run, "tags", [])),
        Queried("tag", "A tag set by the sender.", 'tag = "beta"'),
        Example(["beta"]),
    ] = []  # noqa: RUF012  # pydantic copies it
    model_time: Annotated[
        Milliseconds,
        Field(description="Sum over all model calls."),
        Stored(
            "ModelDurationNs",
            "Int64",
            "Sum of the durations of all model steps in nanoseconds.",
            lambda run: min(run.trajectory.root_metrics.llm_duration_ns, _INT64_MAX),
        ),
        Queried("model_time", "Sum over all model calls.", "model_time > 10s"),
        Example("3900"),
    ] = 0
    tool_time: Annotated[
        Milliseconds,
        Field(description="Sum over all tool runs."),
        Stored(
            "ToolDurationNs",
            "Int64",
            "Sum of the durations of all tool steps in nanoseconds.",
            lambda run: min(run.trajectory.root_metrics.tool_duration_ns, _INT64_MAX),
        ),
        Queried("tool_time", "Sum over all tool runs.", "tool_time > 1m"),
        Example("420"),
    ] = 0
    longest_repeat: Annotated[
        int,
        Field(description="The most equal calls in a row."),
        Stored(
            "LongestRepeat",
            "UInt32",
            "How many runs of tools in a row were one tool with the same arguments, at most.",
            tables=Tables.LIST,
        ),
        Queried("longest_repeat", "The most equal calls in a row.", "longest_repeat >= 3"),
        Example(1),
        Group.METRICS,
    ] = 0
    resumes: Annotated[
        str | None,
        Field(description="The trace that waited for the answer which this run got."),
    ] = None
    resumed_by: Annotated[
        str | None,
        Field(description="The trace that got the answer for which this run waited."),
    ] = None
    error_type: Annotated[
        str | None,
        Field(description="Name of the first exception not recovered from, or else of the first."),
        Stored(
            "ErrorType",
            _NAME,
            "What went wrong: the type of the first failure that the run did not get over, else of "
            "the first; or empty.",
            lambda run: run.trajectory.cause.type if run.trajectory.cause else "",
            Tables.LIST,
            default=_FIRST_FAILED.format("ErrorType"),
        ),
        Queried(
            "error_type",
            "First failure not recovered from, or else the first.",
            'error_type = "RateLimitError"',
        ),
        Example("RateLimitError"),
    ] = None
    error_message: Annotated[
        str | None,
        Field(description="Message of that failure, its first 1,000 characters."),
        Stored(
            "ErrorMessage",
            "String",
            "First 1,000 characters of what that failure says.",
            lambda run: (
                run.trajectory.cause.message[:LONGEST_MESSAGE] if run.trajectory.cause else ""
            ),
            Tables.LIST,
            default=_FIRST_FAILED.format("ErrorMessage"),
        ),
        Queried("error_message", "Message of that failure.", 'error_message ~ "timeout"'),
        Example("rate limit exceeded"),
    ] = None


def _listed(column: str, kind: str, comment: str, queried: Queried | None = None) -> Other:
    """Declare a column that only ``trajectory_list`` has, and that ``laid_out`` computes."""
    return Other(Stored(column, kind, comment, tables=Tables.LIST), queried)


def _document(column: str, kind: str, comment: str, default: str = "") -> Other:
    """Declare a column that only ``trajectories`` has, and that ``rows.trajectory_row`` sets."""
    return Other(Stored(column, kind, comment, tables=Tables.DOCUMENTS, default=default))


def _tokens(column: str, name: str, comment: str, queried: Queried | None = None) -> Other:
    return Other(Stored(column, "Int64", comment, lambda run: _extra(run, name, 0)), queried)


def _share(name: str, description: str, part: str, *wholes: str, scale: float = 1) -> Other:
    """Declare a field of ``where`` that divides columns; no value if the divisor is 0."""
    scaled, whole = f"{part} * {scale}" if scale != 1 else part, " + ".join(wholes)

    def share(row: Row) -> float | None:
        divisor = _sum(row, wholes)
        return row[part] * scale / divisor if divisor > 0 else None

    return Other(
        queried=Queried(
            name,
            description,
            f"{name} > 0.5",
            FieldType.NUMBER,
            sql=f"({scaled} / greatest({whole}, 1))",
            is_there=f"(({whole}) > 0)",
            value=share,
        )
    )


def _words(name: str, description: str) -> Other:
    example = f'{name}: "rate limit"'
    return Other(queried=Queried(name, description, example, FieldType.WORDS))


OTHERS = (
    Other(
        queried=Queried(
            "steps",
            "Steps of all types.",
            "steps > 100",
            sql=f"({' + '.join(_STEPS)})",
            value=lambda row: _sum(row, _STEPS),
        )
    ),
    Other(
        queried=Queried(
            "has_steps",
            "It has a step or a failure; agent creation and health checks have neither.",
            type=FieldType.FLAG,
            sql=_HAS_STEPS,
            value=_has_steps,
        )
    ),
    Other(
        queried=Queried(
            "tokens",
            "Input and output tokens.",
            "tokens > 10000",
            sql="(InputTokens + OutputTokens)",
            value=lambda row: row["InputTokens"] + row["OutputTokens"],
        )
    ),
    _tokens(
        "ReasoningTokens",
        "reasoning_tokens",
        "Reasoning tokens among the output tokens.",
        Queried("reasoning_tokens", "Reasoning among the output tokens.", "reasoning_tokens > 0"),
    ),
    _tokens(
        "CacheReadTokens",
        "cache_read_tokens",
        "Input tokens read from a cache.",
        Queried("cache_read_tokens", "Input tokens from a cache.", "cache_read_tokens = 0"),
    ),
    _tokens("CacheCreationTokens", "cache_creation_tokens", "Input tokens written to a cache."),
    _listed(
        "ToolErrors",
        "UInt32",
        "Tool steps that failed.",
        Queried("tool_errors", "Runs of tools that failed.", "tool_errors > 1"),
    ),
    _listed(
        "ModelErrors",
        "UInt32",
        "Model steps that failed.",
        Queried("model_errors", "Calls of models that failed.", "model_errors > 0"),
    ),
    _share("model_error_rate", "Failed among the calls of models.", "ModelErrors", "ModelSteps"),
    _share("tool_error_rate", "Failed among the runs of tools.", "ToolErrors", "ToolSteps"),
    _share(
        "tool_step_proportion",
        "Runs of tools among those and calls of models.",
        "ToolSteps",
        "ModelSteps",
        "ToolSteps",
    ),
    _share(
        "tokens_per_second",
        "Output tokens per second of its model calls.",
        "OutputTokens",
        "ModelDurationNs",
        scale=1e9,
    ),
    Other(
        queried=Queried(
            "first_token",
            "From its start to the first token of any model call.",
            "first_token > 500ms",
            FieldType.DURATION,
            sql=_FIRST_OUTPUT,
            is_there="arrayExists(ms -> isNotNull(ms), `Steps.FirstTokenMs`)",
            value=_first_output,
        )
    ),
    Other(
        queried=Queried(
            "wall_time",
            "From its earliest start to its newest end, of the root and all steps.",
            "wall_time > 1m",
            FieldType.DURATION,
            sql=_WALL_TIME,
            value=_wall_time,
        )
    ),
    Other(
        Stored(
            "Warnings",
            "Array(String)",
            "What was odd about the trace.",
            lambda run: list(run.trajectory.warnings),
        ),
        Queried(
            "warning",
            "What was odd about the trace.",
            'warning ~ "root"',
            FieldType.TEXT,
            is_list=True,
        ),
    ),
    _listed(
        "MostRepeats",
        "UInt32",
        "How many runs of tools in all were one tool with the same arguments, at most.",
        Queried("most_repeats", "The most equal calls in the whole run.", "most_repeats >= 5"),
    ),
    Other(
        queried=Queried(
            "repeated_calls",
            "Runs of tools that were the same call as the one before.",
            "repeated_calls >= 2",
            FieldType.INTEGER,
            sql=_REPEATED_CALLS,
            value=_repeated_calls,
        )
    ),
    _words("input", "Words of an input of any step."),
    _words("output", "Words of an output of any step."),
    _words("error", "Words of a failure of any step."),
    _listed(
        "Attributes",
        "Array(String)",
        "What senders add, `key=value`, sorted: of the root and of any step.",
        Queried(
            "metadata",
            "Attributes added by senders, by key.",
            'metadata.tier = "gold"',
            FieldType.TEXT,
            has_keys=True,
        ),
    ),
    Other(
        queried=Queried(
            "annotated",
            "It, or one of its steps, has an annotation.",
            type=FieldType.FLAG,
            is_judgement=True,
        )
    ),
    Other(
        queried=Queried(
            "score",
            "Its scores, by name.",
            "score.step_evaluation < 90",
            FieldType.NUMBER,
            has_keys=True,
            is_judgement=True,
        )
    ),
    Other(
        Stored(
            "Seq",
            "UInt64",
            "Rank of this build of the trace; the highest is the current one.",
            lambda run: run.rank,
        )
    ),
    Other(
        Stored(
            "IsWaiting",
            "Bool",
            "Whether it waits for a person, also if something failed besides.",
            lambda run: run.trajectory.is_waiting,
        )
    ),
    Other(
        Stored(
            "IsResuming",
            "Bool",
            "Whether it was given the answer for which an earlier run waited.",
            lambda run: run.trajectory.is_resuming,
        )
    ),
    Other(
        Stored(
            "DuplicateOfSpanId",
            "String",
            "Model or tool step in that trace, or empty.",
            lambda run: _original(run, "span_id"),
        )
    ),
    Other(
        Stored(
            "ExtractorVersion",
            _NAME,
            "Extractor that built it.",
            lambda run: run.trajectory.extractor_version,
        )
    ),
    _listed("RootId", "UInt64", "Span id of the root, as a number."),
    _listed("IsDeleted", "UInt8", "1: the trajectory has moved to another start."),
    _document(
        "NewestSeq",
        "UInt64",
        "Newest sequence it was built from; 0 if no span could be read.",
        default="Seq",
    ),
    _document(
        "ReadMark",
        "String",
        "How much it was built from: spans and events, and the sum of their ranks; or empty.",
    ),
    _document(
        "Before",
        "Array(UInt64)",
        "Starts at which lists had earlier builds, newest first.",
    ),
    _document(
        "Fingerprint", "String", "Identifies the input; the same input is not written again."
    ),
    _document("StepIds", "Array(String)", "Ids of the rows in steps."),
    _document("Document", "String", "The canonical JSON document."),
    _document("SpansDocument", "String", "JSON list of what became of each span."),
)
"""Columns, and fields of ``where``, that the record does not have."""

_FIRST = (
    "project trace_id status outcome start duration root_name root_type has_error agent model"
    " dialect service tag environment release user conversation version steps model_steps"
    " tool_steps agent_steps spans tokens input_tokens output_tokens reasoning_tokens"
    " cache_read_tokens cost model_time tool_time wall_time first_token tokens_per_second failures"
    " error_type error_message tool_errors model_errors model_error_rate tool_error_rate"
    " tool_step_proportion warning duplicate longest_repeat most_repeats"
    " repeated_calls input output error"
    " metadata annotated score"
)
RUN = Declaration(Run, OTHERS, _FIRST.split())
