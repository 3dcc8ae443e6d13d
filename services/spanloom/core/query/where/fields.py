"""Every field that a ``where`` can name, of runs and of steps, declared once.

The parser, the documentation and completion are made from these; the SQL of each stands in
``storage``. A new field is one line here, one there, and a test.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.model.trajectory import Kind, Outcome, Status, StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Value: TypeAlias = "str | int | float | bool"
"""Durations and times are nanoseconds, times since the epoch."""


class FieldType(Enum):
    """What the values of a field are."""

    TEXT = "text"
    WORDS = "words"
    """A long text: only its words can be asked for."""
    CHOICE = "choice"
    """One of a few words, which need no quotes."""
    INTEGER = "integer"
    NUMBER = "number"
    DURATION = "duration"
    TIME = "time"
    FLAG = "flag"


class Field(NamedTuple):
    """One field of runs or of steps."""

    name: str
    type: FieldType
    description: str
    example: str
    """A comparison with it, as it is written."""
    is_list: bool = False
    """Whether it has several values; then one that meets the condition is enough."""
    choices: Sequence[str] = ()
    has_keys: bool = False
    """Whether it is a mapping, asked by key: ``metadata.tier``."""
    is_said: bool = False
    """Whether people and evaluators say it: it stands beside the run and can only be asked for."""


class Subject(Enum):
    """What the fields are fields of."""

    RUN = "run"
    STEP = "step"


def _named(*fields: Field) -> Mapping[str, Field]:
    return {field.name: field for field in fields}


def _text(name: str, description: str, example: str) -> Field:
    return Field(name, FieldType.TEXT, description, example)


def _list(name: str, description: str, example: str) -> Field:
    return Field(name, FieldType.TEXT, description, example, is_list=True)


def _choice(name: str, choices: Iterable[str], description: str, example: str) -> Field:
    words = tuple(str(choice) for choice in choices)
    return Field(name, FieldType.CHOICE, description, example, choices=words)


def _count(name: str, description: str, example: str) -> Field:
    return Field(name, FieldType.INTEGER, description, example)


def _duration(name: str, description: str, example: str) -> Field:
    return Field(name, FieldType.DURATION, description, example)


def _flag(name: str, description: str) -> Field:
    return Field(name, FieldType.FLAG, description, name)


def _words(name: str, description: str) -> Field:
    return Field(name, FieldType.WORDS, description, f'{name}: "rate limit"')


def _cost(description: str) -> Field:
    return Field("cost", FieldType.NUMBER, description, "cost > 0.05")


_METADATA = Field(
    "metadata",
    FieldType.TEXT,
    "What senders add, by key.",
    'metadata.tier = "gold"',
    has_keys=True,
)


def _annotated(description: str) -> Field:
    return Field("annotated", FieldType.FLAG, description, "annotated", is_said=True)


def _score(description: str, example: str) -> Field:
    return Field("score", FieldType.NUMBER, description, example, has_keys=True, is_said=True)


RUN_FIELDS = _named(
    _text("project", "The project that the spans were sent to.", 'project = "shop"'),
    _text("trace_id", "The trace id, lowercase hex.", 'trace_id ~ "^90b3"'),
    _choice("status", Status, "How far the trace had come.", "status = live"),
    _choice("outcome", Outcome, "How the run went.", "outcome in (failed, paused)"),
    Field("start", FieldType.TIME, "When it began.", 'start >= "2026-01-31T12:00:00Z"'),
    _duration("duration", "From the start to the end of the root.", "duration > 20s"),
    _text("root_name", "The name of the root.", 'root_name = "travel_planner"'),
    _choice("root_type", Kind, "What the root is.", "root_type = agent"),
    _flag("has_error", "Something failed for good."),
    _list("agent", "An agent that ran.", 'agent = "refunds"'),
    _list("model", "A model that was called.", 'model ~ "^gpt-4"'),
    _list("dialect", "A convention that the spans follow.", 'dialect = "openinference"'),
    _list("service", "A service that sent spans.", 'service = "travel"'),
    _list("tag", "A tag of the sender.", 'tag = "beta"'),
    _text("environment", "Where it ran.", 'environment = "production"'),
    _text("user", "For whom it ran.", 'user = "ada"'),
    _text("conversation", "The conversation that it belongs to.", "conversation exists"),
    _count("version", "How many times it has been built.", "version > 1"),
    _count("steps", "Steps of all types.", "steps > 100"),
    _count("model_steps", "Calls of models.", "model_steps >= 10"),
    _count("tool_steps", "Runs of tools.", "tool_steps = 0"),
    _count("agent_steps", "Runs of agents.", "agent_steps > 1"),
    _count("spans", "Spans of the trace.", "spans > 10000"),
    _count("tokens", "Input and output tokens.", "tokens > 10000"),
    _count("input_tokens", "Input tokens, cached ones included.", "input_tokens >= 5000"),
    _count("output_tokens", "Output tokens, reasoning included.", "output_tokens > 2000"),
    _count("reasoning_tokens", "Reasoning among the output tokens.", "reasoning_tokens > 0"),
    _count("cache_read_tokens", "Input tokens from a cache.", "cache_read_tokens = 0"),
    _cost("What the model calls cost, in US dollars; absent where a price is unknown."),
    _duration("model_time", "All model calls together.", "model_time > 10s"),
    _duration("tool_time", "All runs of tools together.", "tool_time > 1m"),
    _count("failures", "Failures, recovered ones included.", "failures > 2"),
    _count("tool_errors", "Runs of tools that failed.", "tool_errors > 1"),
    _count("model_errors", "Calls of models that failed.", "model_errors > 0"),
    _list("warning", "What was odd about the trace.", 'warning ~ "root"'),
    _flag("duplicate", "It only repeats another trace."),
    _count("longest_repeat", "The same call in a row, at most.", "longest_repeat >= 3"),
    _count("most_repeats", "The same call in the whole run, at most.", "most_repeats >= 5"),
    _words("input", "Words of an input of any step."),
    _words("output", "Words of an output of any step."),
    _words("error", "Words of a failure of any step."),
    _METADATA,
    _annotated("Somebody said something of it, or of a step of it."),
    _score("What it was given, by the name of the score.", "score.step_evaluation < 90"),
)
"""What can be asked of a run."""

STEP_FIELDS = _named(
    _choice("type", StepType, "What the step is.", "type = tool"),
    _text("name", "The name of the step.", 'name = "search"'),
    _text("tool", "The name of a tool; no other step has one.", 'tool = "search"'),
    _text("agent", "The name of an agent; no other step has one.", 'agent = "refunds"'),
    _text("owner", "The agent that the step belongs to.", 'owner = "refunds"'),
    _text("model", "The model that was called.", 'model ~ "^gpt-4"'),
    _duration("duration", "From its start to its end.", "duration > 2s"),
    _duration("first_token", "From its start to the first token.", "first_token > 500ms"),
    _flag("error", "It failed."),
    _count("error_code", "The code of its failure, HTTP's or the provider's.", "error_code = 429"),
    _text("error_message", "What its failure says.", 'error_message ~ "timeout"'),
    _count("tokens", "Input and output tokens of a model call.", "tokens > 8000"),
    _count("input_tokens", "Input tokens of a model call.", "input_tokens > 8000"),
    _count("output_tokens", "Output tokens of a model call.", "output_tokens = 0"),
    _cost("What a model call cost, in US dollars; absent where the price is unknown."),
    _count("position", "Its place among the steps of the run, from 0.", "position < 3"),
    _text("args_key", "The fingerprint of a tool and its arguments.", 'args_key = "1f3a"'),
    _words("input", "Words of what the step was given that no step before it was."),
    _words("output", "Words of what the step gave."),
    _METADATA,
    _annotated("Somebody said something of it."),
    _score("What it was given; of a mark, what it takes off.", "score.step_evaluation <= -5"),
)
"""What can be asked of a step."""

FIELDS: Mapping[Subject, Mapping[str, Field]] = {
    Subject.RUN: RUN_FIELDS,
    Subject.STEP: STEP_FIELDS,
}
