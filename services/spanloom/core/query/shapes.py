"""The shape of a run: its tools, agents, transitions and failures, without texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RunShape(NamedTuple):
    """The properties of a run that are compared between two sets of runs."""

    project: str
    trace_id: str
    start_ns: int
    conversation: str
    item: str
    """The key of the dataset item that it belongs to; empty for none."""
    outcome: str
    tools: Sequence[str]
    """Names of the tools that ran."""
    tools_again: Sequence[str]
    """Names of those that ran twice or more."""
    agents: Sequence[str]
    handoffs: Sequence[tuple[str, str]]
    """An agent, and one directly below it."""
    transitions: Sequence[tuple[str, str, str, str]]
    """Type and name of a step, and of the next one in the order of the run."""
    failures: Sequence[tuple[str, str, int]]
    """Type, name and code of steps that failed; 0 or -1 is no code."""
    numbers: Mapping[str, float | None]
    """Fields of the run by name; durations are milliseconds, ``None`` is unknown."""


SHAPE_NUMBERS = (
    *("steps", "model_steps", "tool_steps", "agent_steps", "failures"),
    *("longest_repeat", "most_repeats"),
    *("duration", "model_time", "tool_time", "first_token"),
    *("input_tokens", "output_tokens", "cost"),
)
"""The fields that are in ``numbers``, in this order."""
ITEM_KEY = "item_key"
"""The key of a run's metadata that names its dataset item."""
