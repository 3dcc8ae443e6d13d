"""Counts facts about a run that the lines written for it do not preserve."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant import CALL_ID, PARTS, SOURCE
from spanloom.core.conventions.listed_messages import HISTORY
from spanloom.core.exchange.kept import ERROR_TEXT, FLATTENED, Kept, KeptOfStep, count_lost
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.losses import Code
from spanloom.core.formats.turns import text_of
from spanloom.core.messages.texts import messages_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_AN_AGENT = KeptOfStep({"name", "input", "output"}, {"agent_name", SOURCE, COST})
_KEPT = Kept(
    steps={
        "agent": _AN_AGENT,
        "graph": FLATTENED,
        "other": _AN_AGENT,
        "model": KeptOfStep({"input", "output"}, {HISTORY}),
        "tool": KeptOfStep(
            {"name", "input", "output", ERROR_TEXT},
            {"tool_name", "tool_call_id", CALL_ID, PARTS},
        ),
    }
)
_THOUGHTS = '"reasoning_content"'
_IN_PARTS = re.compile(r'"content":\s*\[')
_TEXT = "text"


def count_of_run(view: Document, written: Sequence[str], losses: Losses) -> None:
    """Count steps without a message, and facts that messages cannot hold.

    ``written`` has the ids of the agents for which a line is written.
    """
    for agent_id in written[1:]:
        losses.note(Code.AGENTS_SEPARATE, agent_id)
    lines = set(written)
    for agent in view.agents:
        if (
            agent.id not in lines
            and (agent.input or agent.output)
            and (written or agent.id != view.root.id)
        ):
            losses.note(Code.TEXTS_DROPPED, agent.id)
    count_lost(view, _KEPT, losses)


def count_of_texts(agent: DocumentStep, messages: Sequence[Json], losses: Losses) -> None:
    """Count an agent if its texts are not the first question and the last answer in its line."""
    question = next((m["content"] for m in messages if m["role"] == "user"), "")
    answer = next((m["content"] for m in reversed(messages) if m["role"] == "assistant"), "")
    is_shown = (agent.input, agent.output) == (text_of(question), text_of(answer))
    losses.note(Code.TEXTS_DROPPED, agent.id, not is_shown)


def count_of_answers(agent: DocumentAgent, losses: Losses) -> None:
    """Count media and reasoning in an agent's answers, which a line cannot hold."""
    for step in agent.steps:
        if step.type != "model":
            continue
        if _THOUGHTS in step.output:
            losses.note(Code.TEXTS_DROPPED, step.id)
        if _IN_PARTS.search(step.output):
            losses.note(Code.PARTS_DROPPED, step.id, _media(step.output))


def _media(output: str) -> int:
    """Return the number of parts other than texts in the messages of an output."""
    contents = [message.get("content") for message in messages_in(output, "assistant")]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    return sum(not isinstance(part, dict) or part.get("type") != _TEXT for part in parts)
