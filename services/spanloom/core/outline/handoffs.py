"""Handoffs: a tool by which an agent gives the run to another one, as its name or texts tell.

LangGraph's, Eino's, AutoGen's and ADK's tools are called ``transfer_to_…``, those of OpenAI's
Agents SDK and of LlamaIndex ``handoff``. Whom they name has to be an agent of the same run; nothing
is concluded from which agent began next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.outline.rows import OutlineRow
    from spanloom.core.outline.steps import Place

_BEFORE_NAME = ("transfer_to_", "handoff to ")
_NAMELESS = ("handoff", "transfer_to_agent")
"""Tools that name the agent in their arguments, or answer with it."""
_ARGUMENTS = ("agent_name", "to_agent")


class Handoff(NamedTuple):
    """A step that gave the run to another agent, by the ids of both."""

    step_id: str
    agent_id: str


def find_handoffs(rows: Sequence[OutlineRow], steps: Mapping[str, Place]) -> Iterator[Handoff]:
    """Yield the handoffs whose agent is known.

    Where an agent ran several times the first of them stands for all; see ``run_graph``.
    """
    own = [row for row in rows if row.step_id == row.id and row.id in steps]
    agents: dict[str, str] = {}
    for row in own:
        if row.kind == "agent":
            agents.setdefault(_plain(row.name), row.id)
    for row in own:
        named = _plain(_named(row, steps[row.id])) if row.kind == "tool" else ""
        if named in agents:
            yield Handoff(row.id, agents[named])


def _named(tool: OutlineRow, place: Place) -> str:
    """Return whom a tool names as the next agent; empty for any other tool."""
    name = tool.name
    if name in _NAMELESS:
        given = json_value(place.step["input"])
        told = [given[key] for key in _ARGUMENTS if key in given] if isinstance(given, dict) else []
        return str(told[0] if told else place.step["output"])
    found = (name.removeprefix(begin) for begin in _BEFORE_NAME if name.startswith(begin))
    return next(found, "")


def _plain(name: str) -> str:
    """Return a name as it may stand in that of a function: ``Essay Writer`` is ``essay_writer``."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
