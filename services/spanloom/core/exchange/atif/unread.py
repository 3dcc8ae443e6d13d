"""Counts the members of an ATIF trajectory that its run does not preserve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.exchange.atif.conventions import HEARD
from spanloom.core.exchange.atif.members import extra_of, results_of
from spanloom.core.exchange.atif.steps import FIRST_TOKEN
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.readers import a_list

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_OF_A_TRAJECTORY = frozenset(
    {
        *("schema_version", "session_id", "trajectory_id", "agent", "steps", "final_metrics"),
        *("notes", "extra", "subagent_trajectories", "continued_trajectory_ref"),
    }
)
_OF_AN_AGENT = frozenset({"name", "version", "model_name", "tool_definitions"})
_OF_A_STEP = frozenset(
    {
        *("step_id", "timestamp", "source", "message", "model_name", "reasoning_content"),
        *("tool_calls", "observation", "metrics", "extra", "llm_call_count", "is_copied_context"),
    }
)
_OF_A_CALL = frozenset({"tool_call_id", "function_name", "arguments"})
_OF_A_RESULT = frozenset({"source_call_id", "content", "subagent_trajectory_ref", "extra"})
_OBSERVED = frozenset({"results"})
_METRICS = frozenset({"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "extra"})
_MORE_METRICS = frozenset({"reasoning_tokens", "cache_creation_tokens", FIRST_TOKEN})
_TOTALS = frozenset(
    {
        *("total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"),
        *("total_cost_usd", "total_steps", "extra"),
    }
)
_OURS = frozenset(
    {
        *("step_id", "parent_id", "name", "role", "type", HEARD),
        *("is_error", "error_code", "error_message"),
    }
)
"""Members that the reader uses from the ``extra`` of a step or result."""


def note_unread_of_agent(trajectory: Json, about: Json, losses: Losses, where: str) -> None:
    """Count the members of an agent's trajectory, outside its steps, that a run cannot hold."""
    note_unread(trajectory, _OF_A_TRAJECTORY, losses, where.rstrip("."))
    note_unread(about, _OF_AN_AGENT, losses, f"{where}agent")
    note_unread(trajectory.get("final_metrics"), _TOTALS, losses, f"{where}final_metrics")


def note_unread_of_step(step: Json, losses: Losses, where: str) -> None:
    """Count the members of a step that a run cannot hold."""
    metrics = step.get("metrics")
    note_unread(step, _OF_A_STEP, losses, where)
    note_unread(extra_of(step), _OURS, losses, f"{where}.extra")
    if isinstance(metrics, dict):
        note_unread(metrics, _METRICS, losses, f"{where}.metrics")
        note_unread(extra_of(metrics), _MORE_METRICS, losses, f"{where}.metrics.extra")
    for at, call in enumerate(a_list(step.get("tool_calls") or [], f"{where}.tool_calls")):
        note_unread(call, _OF_A_CALL, losses, f"{where}.tool_calls.{at}")
    note_unread(step.get("observation"), _OBSERVED, losses, f"{where}.observation")
    for at, result in enumerate(results_of(step, where)):
        place = f"{where}.observation.results.{at}"
        note_unread(result, _OF_A_RESULT, losses, place)
        note_unread(extra_of(result), _OURS, losses, f"{place}.extra")
