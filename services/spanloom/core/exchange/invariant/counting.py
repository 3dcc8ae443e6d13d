"""Counts what a line of messages does not have of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY
from spanloom.core.formats.losses import Code
from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.conversation import Turn
    from spanloom.core.formats.losses import Losses

_IN_MESSAGES = frozenset({"agent_name", "tool_name", "tool_call_id", HISTORY})
"""Metadata whose values are in lines."""
_IN_PARTS = re.compile(r'"content":\s*\[')
_KEPT = "text"


def count_of_run(view: Document, written: Sequence[str], losses: Losses) -> None:
    """Note steps without a message, and what messages have no place for.

    ``written`` are the ids of the agents that have a line.
    """
    losses.note(Code.AGENTS_SEPARATE, "agent_steps", len(written) - 1)
    lines = set(written)
    timed = 0
    for agent in view.agents:
        timed += 1
        _count_error(agent, losses)
        if agent.id not in lines and (agent.input or agent.output) and agent.id != view.root.id:
            losses.note(Code.TEXTS_DROPPED, agent.id)
        for step in agent.steps:
            if step.type == "graph":
                losses.note(Code.GRAPH_FLATTENED, step.id)
            elif step.type != "agent":
                timed += 1
                _count_of_step(step, losses)
    losses.note(Code.TIMES_DROPPED, "agent_steps", timed)


def _count_of_step(step: DocumentStep, losses: Losses) -> None:
    _count_error(step, losses)
    if not step.metadata.keys() <= _IN_MESSAGES:
        losses.note(Code.METADATA_DROPPED, step.id)
    if step.type == "model" and any(step.model_info.values()):
        losses.note(Code.TOKENS_DROPPED, step.id)


def _count_error(step: DocumentStep, losses: Losses) -> None:
    """Note the failure of a step: that of a tool without an output is its result."""
    if step.error:
        is_told = step.type == "tool" and not step.output
        losses.note(Code.ERROR_AS_TEXT if is_told else Code.METADATA_DROPPED, step.id)


def count_of_turns(agent: DocumentAgent, turns: Sequence[Turn], losses: Losses) -> None:
    """Note calls without a run, runs without a call, made ids, and media of answers."""
    asked: set[str] = set()
    answered: set[str] = set()
    for turn in turns:
        message, step_id = turn.message, turn.step_id
        for n, call in enumerate(message.get("tool_calls") or ()):
            asked.add(call["id"])
            if call["id"] == f"{step_id}.{n}":
                losses.note(Code.CALL_ID_MADE, step_id)
        if message["role"] == "tool":
            answered.add(str(message.get("tool_call_id")))
    for call_id in sorted(asked ^ answered):
        losses.note(Code.CALL_UNPAIRED, call_id)
    for step in agent.steps:
        if step.type == "tool" and step.id in answered and step.input:
            losses.note(Code.TEXTS_DROPPED, step.id)  # no call has its arguments
        elif step.type == "model" and _IN_PARTS.search(step.output):
            losses.note(Code.PARTS_DROPPED, step.id, _media(step.output))


def _media(output: str) -> int:
    """Return the number of parts of answers that are no text: these are joined to one text."""
    contents = [message.get("content") for message in messages_in(output, "assistant")]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return sum(not isinstance(part, dict) or part.get("type") != _KEPT for part in parts)
