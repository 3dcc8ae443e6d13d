"""Writes a Potato task: its configuration, and trajectories as its items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document import AGENT, Document
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.document import DocumentStep

    Json = dict[str, Any]  # a JSON object

MOST_TEXT = 20_000
"""Longest text of a step, in characters; longer texts are cut, with a note."""
ITEMS_FILE = "items.json"
OUTPUT = "annotation_output"


def write_config(name: str, schemes: Sequence[Json], users: Iterable[str] = ()) -> Json:
    """Return the configuration of a task, to be written as JSON, which is valid YAML."""
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
    """Return a trajectory as an item: its steps in (start, id) order, each with its ``step_id``.

    ``action`` is a tool call with its arguments, or an answer; ``thought`` is the model's
    reasoning. Agent steps are left out unless ``with_agents``.
    """
    return {
        "id": document["id"],
        "task_description": cut(question_in(Document(document).root.input)),
        "steps": [_step(step) for step in list_steps(document, with_agents=with_agents)],
    }


def list_steps(document: Json, *, with_agents: bool = False) -> Sequence[DocumentStep]:
    """Return the steps of a document's item, in (start, id) order, each id once."""
    steps = Document(document).steps
    by_id = {step.id: step for step in steps if with_agents or step.type != AGENT}
    return sorted(by_id.values(), key=lambda step: (step.started_at, step.id))


def cut(text: str) -> str:
    """Return a text cut to ``MOST_TEXT`` characters, with a note of how many are missing."""
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:MOST_TEXT]} […{len(text) - MOST_TEXT:,} characters more]"


def _step(step: DocumentStep) -> Json:
    is_call = step.type == "tool"
    action = f"{step.name}({step.input})" if is_call else answer_in(step.output)
    shown = {
        "action": cut(action or step.name),
        "thought": cut("\n".join(_thoughts(json_value(step.output)))),
        "agent": step.agent_name,
        "type": step.type,
        "step_id": step.id,
    }
    if is_call:
        shown["observation"] = cut(step.output)
    return shown


def _thoughts(messages: object) -> Iterator[str]:
    for message in messages if isinstance(messages, list) else [messages]:
        if isinstance(message, dict) and isinstance(message.get("reasoning_content"), str):
            yield message["reasoning_content"]
