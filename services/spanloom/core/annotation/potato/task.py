"""Writes a task for Potato: its configuration, and trajectories as its items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.annotation.anchors import AGENT
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Json = dict[str, Any]  # as JSON gives and takes it

MOST_TEXT = 20_000
"""Characters of a text of a step; what is longer is cut, and says so."""
ITEMS_FILE = "items.json"
OUTPUT = "annotation_output"


def write_config(name: str, schemes: Sequence[Json], users: Iterable[str] = ()) -> Json:
    """Return the configuration of a task; JSON is YAML too."""
    return {
        "annotation_task_name": name,
        "task_dir": ".",
        "output_annotation_dir": OUTPUT,
        "data_files": [{"type": "json", "path": ITEMS_FILE}],
        "item_properties": {"id_key": "id", "text_key": "task_description"},
        "user_config": {"allow_all_users": True, "users": sorted(users)},
        "annotation_schemes": list(schemes),
    }


def write_item(document: Json, *, with_agents: bool = False) -> Json:
    """Return a trajectory as an item: its steps in (start, id) order, each with our ``step_id``.

    ``action`` is what a step did: a call with its arguments, or an answer; ``thought`` is what a
    model reasoned. The rows of agents themselves are left out unless asked for.
    """
    return {
        "id": document["id"],
        "task_description": cut(question_in(document.get("root_step", {}).get("input", ""))),
        "steps": [
            _step(step, agent) for step, agent in list_steps(document, with_agents=with_agents)
        ],
    }


def list_steps(document: Json, *, with_agents: bool = False) -> Sequence[tuple[Json, str]]:
    """Return the steps of a document in the order of an item, each with its agent's name."""
    found = {
        step["id"]: (step, agent.get("name", ""))
        for agent in document.get("agent_steps", ())
        for step in agent.get("steps", ())
        if with_agents or step.get("type") != AGENT
    }
    return sorted(found.values(), key=lambda one: _place(one[0]))


def cut(text: str) -> str:
    """Return a text of at most so many characters as an item has, with a note if it was longer."""
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:MOST_TEXT]} […{len(text) - MOST_TEXT:,} characters more]"


def _step(step: Json, agent: str) -> Json:
    kind = step.get("type", "")
    is_call = kind == "tool"
    said = f"{step['name']}({step.get('input', '')})" if is_call else answer_in(step["output"])
    shown = {
        "action": cut(said or step.get("name", "")),
        "thought": cut("\n".join(_thoughts(json_value(step.get("output", ""))))),
        "agent": agent,
        "type": kind,
        "step_id": step["id"],
    }
    if is_call:
        shown["observation"] = cut(step.get("output", ""))
    return shown


def _thoughts(messages: object) -> Iterator[str]:
    for message in messages if isinstance(messages, list) else [messages]:
        if isinstance(message, dict) and isinstance(message.get("reasoning_content"), str):
            yield message["reasoning_content"]


def _place(step: Mapping[str, Any]) -> tuple[int, str]:
    return int(step.get("basic_info", {}).get("started_at", 0)), step["id"]
