"""The steps of a document by their ids, as far as an outline needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    Json = Mapping[str, Any]


class Place(NamedTuple):
    """A step, and where it stands."""

    step: Json
    parent_id: str
    """The nearest step above it; empty for the root."""
    agent: str
    """The name of the agent that owns it; of an agent its own."""


def places(document: Json) -> dict[str, Place]:
    """Return the steps of a canonical document by id: the root, agents, and what they own."""
    found: dict[str, Place] = {}
    for agent in document["agent_steps"]:
        found.setdefault(agent["id"], Place(agent, agent["parent_id"], agent["name"]))
    for agent in document["agent_steps"]:
        name = agent["name"]
        for step in agent["steps"]:
            if step["id"] not in found:
                found[step["id"]] = Place(step, step["parent_id"], name)
    root = document["root_step"]
    found.setdefault(root["id"], Place(root, "", ""))
    return found
