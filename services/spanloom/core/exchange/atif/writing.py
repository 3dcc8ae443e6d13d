"""Writes a run as a trajectory in ATIF 1.8 that also satisfies Harbor's stricter rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.listed_messages import HISTORY
from spanloom.core.document import AGENT
from spanloom.core.exchange.atif.agents_out import AgentWriting
from spanloom.core.exchange.atif.conventions import (
    AGENT_VERSION,
    CONTINUED,
    NOTES,
    OF_EXTRA,
    OF_STATUS,
    ROOT_ID,
    root_id_in,
)
from spanloom.core.exchange.kept import (
    FLATTENED,
    OF_THE_SENDER,
    WHOLE,
    Kept,
    KeptOfStep,
    count_lost,
)
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, NotHeldError
from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentExtraction, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

VERSION = "ATIF-v1.8"
_AN_AGENT = KeptOfStep(WHOLE - {"duration"}, {"agent_name", AGENT_VERSION, "cost"})
_KEPT = Kept(
    OF_THE_SENDER,
    {
        "agent": _AN_AGENT,
        "graph": FLATTENED,
        "other": _AN_AGENT,
        "model": KeptOfStep(WHOLE - {"duration"}, {"model", "cost", HISTORY, TOOL_DEFINITIONS}),
        "tool": KeptOfStep(WHOLE - {"duration", "started_at"}, {"tool_name", "tool_call_id"}),
    },
)


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as an ATIF trajectory; raises ``NotHeldError`` if no agent has steps."""
    document = stored.view
    agents = _agents(document)
    if not agents or document.root_type in ("model", "tool"):
        raise NotHeldError(Code.NO_AGENT, "no agent of the run has steps")
    main, *below = agents
    known = {agent.id for agent in below}
    main_agent = AgentWriting(main, known, losses)
    others = [AgentWriting(agent, known, losses) for agent in below]
    named = set().union(*(one.referred for one in (main_agent, *others)))
    for agent in below:
        if agent.id not in named:  # the document has no step with this id
            main_agent.dispatch(agent)
    count_lost(document, _KEPT, losses)
    return dump(_trajectory(document, main_agent, others))


def _agents(document: Document) -> Sequence[DocumentAgent]:
    """Return the agents with steps, each once, the root first."""
    by_id = {agent.id: agent for agent in document.agents if any(map(_is_held, agent.steps))}
    root_id = document.root.id
    return sorted(by_id.values(), key=lambda agent: agent.id != root_id)


def _is_held(step: DocumentStep) -> bool:
    return step.type in (AGENT, "model", "tool")


def _trajectory(document: Document, main: AgentWriting, others: Sequence[AgentWriting]) -> Json:
    extraction, usage = document.extraction, document.root.metrics
    metrics = main.totals()
    costs = [cost for one in (main, *others) if (cost := one.cost) is not None]
    if costs:
        metrics["total_cost_usd"] = sum(costs)
    metrics["extra"] = {
        "run_prompt_tokens": usage.input_tokens,
        "run_completion_tokens": usage.output_tokens,
    }
    trajectory: Json = {
        "schema_version": VERSION,
        "session_id": str(extraction.conversation_id or document.id),
        "trajectory_id": document.id,
        **main.body(),
        "final_metrics": metrics,
    }
    if notes := _notes(extraction):
        trajectory["notes"] = notes
    if extra := _extra(document, main):
        trajectory["extra"] = extra
    if others:
        trajectory["subagent_trajectories"] = [
            {
                "schema_version": VERSION,
                "trajectory_id": one.agent.id,
                **one.body(),
                "final_metrics": one.totals() | _cost(one.cost),
            }
            for one in others
        ]
    if continued := extraction.metadata.get(CONTINUED):
        trajectory[CONTINUED] = continued
    return trajectory


def _notes(extraction: DocumentExtraction) -> str:
    kept = str(extraction.metadata.get(NOTES, ""))
    status = extraction.status_text or Status.SETTLED
    return kept or ("" if status == Status.SETTLED else f"{OF_STATUS}{status}")


def _extra(document: Document, main: AgentWriting) -> Json:
    """Return, for ``extra``, the facts about a run for which ATIF has no member."""
    extraction, root = document.extraction, document.root
    extra: Json = extraction.members(OF_EXTRA)
    own = {k: v for k, v in extraction.metadata.items() if k not in (CONTINUED, NOTES)}
    if own:
        extra["metadata"] = own
    if root.type not in (AGENT, ""):
        extra["root_type"] = root.type
    texts = {"input": root.input, "output": root.output}
    derived = {"input": main.first_request, "output": main.last_answer}
    extra |= {name: text for name, text in texts.items() if text != derived[name]}
    if root_id_in({"steps": main.steps}) != root.id:
        extra[ROOT_ID] = root.id
    return extra | ({"error": dict(root.error)} if root.error else {})


def _cost(cost: float | None) -> Json:
    return {} if cost is None else {"total_cost_usd": cost}
