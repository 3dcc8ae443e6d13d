"""Finds handoffs: tool runs by which an agent passes control to another, by name or texts.

LangGraph's, Eino's, AutoGen's and ADK's tools are called ``transfer_to_…``, those of OpenAI's
Agents SDK and of LlamaIndex ``handoff``. The agent they name has to be in the same run; which agent
started next is not considered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.outline.rows import OutlineRow

_BEFORE_NAME = ("transfer_to_", "handoff to ")
_NAMELESS = ("handoff", "transfer_to_agent")
"""Tools with the agent's name in their arguments or in their output."""
_ARGUMENTS = ("agent_name", "to_agent")


class Handoff(NamedTuple):
    """The id of a tool step that passed control to an agent, and that agent's id."""

    step_id: str
    agent_id: str


def find_handoffs(
    rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep]
) -> Iterator[Handoff]:
    """Yield the handoffs to agents of this run.

    If an agent ran several times, the id is that of its first run; see ``run_graph``.
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


def _named(tool: OutlineRow, step: DocumentStep) -> str:
    """Return the name of the agent to which a tool hands off; empty for any other tool."""
    name = tool.name
    if name in _NAMELESS:
        value = json_value(step.input)
        arguments = value if isinstance(value, dict) else {}
        agents = [arguments[key] for key in _ARGUMENTS if key in arguments]
        return str(agents[0] if agents else step.output)
    names = (name.removeprefix(begin) for begin in _BEFORE_NAME if name.startswith(begin))
    return next(names, "")


def _plain(name: str) -> str:
    """Return a name as it is written in function names: ``essay_writer`` for ``Essay Writer``."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
