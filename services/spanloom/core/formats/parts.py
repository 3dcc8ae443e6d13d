"""Parts of a canonical document, and the document with its texts taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import orjson

from spanloom.core.model.trajectory import StepType
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.formats.json_bytes import Json

_TEXTS = ("input", "output")
Texts = Literal["raw", "parsed", "none"]
"""How texts are given: as stored, JSON in them taken apart, or left out where nobody reads them."""


def find_step(whole: Json, step_id: str) -> Json | None:
    """Return a step of a document with the agent that owns it as ``agent_id``, or ``None``.

    The root is one too, of the type ``extraction.root_type``, owned by nobody: its ``agent_id`` is
    empty. An agent comes without the steps that it owns.
    """
    return next((step for step in _steps(whole) if step["id"] == step_id), None)


def brief_steps(whole: Json) -> list[Json]:
    """Return the steps of a document, the root first, each once and without what was said.

    Times are texts of milliseconds, as in the document. A root is a step only if it is an agent or
    a graph: one of a model or a tool stands among the steps already.
    """
    *owned, root = _steps(whole)
    steps = [root, *owned] if root["type"] in (StepType.AGENT, StepType.GRAPH) else owned
    return list(map(_brief, steps))


def _brief(step: Json) -> Json:
    info, usage = step["basic_info"], step.get("model_info", {})
    return {
        "step_id": step["id"],
        "parent_id": step.get("parent_id") or None,
        "agent_id": step["agent_id"] or None,
        "type": step["type"],
        "name": step["name"],
        "model": step["metadata"].get("model"),
        "started_at": info["started_at"],
        "duration": info["duration"],
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "error": info.get("error"),
    }


def spans_under(spans: bytes, step_id: str) -> list[Json]:
    """Return what became of each span that counts under a step, the step's own first.

    ``spans`` is the stored list of verdicts, in the order of their starts.
    """
    found: list[Json] = [span for span in orjson.loads(spans) if span["step_id"] == step_id]
    return sorted(found, key=lambda span: span["span_id"] != step_id)


def with_texts(document: bytes, texts: Texts) -> bytes:
    """Return the document with its texts as wanted; raw they stay byte for byte."""
    if texts == "raw":
        return document
    whole: Json = orjson.loads(document)
    for step in (whole["root_step"], *whole["agent_steps"]):
        turn_texts_of(step, texts)
        for inner in step.get("steps", ()):
            turn_texts_of(inner, texts)
    return orjson.dumps(whole)


def turn_texts_of(step: Json, texts: Texts) -> None:
    """Take the texts of a step apart where they are JSON objects or lists, or empty them."""
    for name in _TEXTS:
        if texts == "none":
            step[name] = ""
        elif texts == "parsed" and isinstance(value := json_value(step[name]), (dict, list)):
            step[name] = value


def _steps(whole: Json) -> Iterator[Json]:
    for agent in whole["agent_steps"]:
        for step in agent["steps"]:
            yield {**step, "agent_id": agent["id"]}
    yield {**whole["root_step"], "type": whole["extraction"]["root_type"], "agent_id": ""}
