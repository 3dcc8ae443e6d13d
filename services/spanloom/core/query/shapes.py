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
    """The key of the run's dataset item; empty if there is none."""
    outcome: str
    tools: Sequence[str]
    """Names of the tools that ran."""
    tools_again: Sequence[str]
    """Names of the tools that ran twice or more."""
    agents: Sequence[str]
    handoffs: Sequence[tuple[str, str]]
    """Names of an agent, and of an agent directly below it."""
    transitions: Sequence[tuple[str, str, str, str]]
    """Type and name of a step, and of the next step in the order of the run."""
    failures: Sequence[tuple[str, str, int]]
    """Type, name and code of failed steps; a code of 0 or -1 means none."""
    numbers: Mapping[str, float | None]
    """Fields of the run by name; durations are milliseconds, ``None`` means unknown."""


SHAPE_NUMBERS = (
    *("steps", "model_steps", "tool_steps", "agent_steps", "failures"),
    *("longest_repeat", "most_repeats"),
    *("duration", "model_time", "tool_time", "first_token"),
    *("input_tokens", "output_tokens", "cost"),
)
"""The fields that are in ``numbers``, in this order."""
ITEM_KEY = "item_key"
"""The key of a run's metadata that names its dataset item."""
