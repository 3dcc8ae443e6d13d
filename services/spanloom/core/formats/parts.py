"""Extracts steps from a stored document, and returns documents with parsed texts or continuations.

A continuation is two members of ``extraction`` that are added when the document is read:
``resumes``, the trace that waited for the answer which this run received, and ``resumed_by``, the
trace that received the answer for which this run waited. All bytes before them are as stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import orjson

from spanloom.core.document import Document
from spanloom.core.formats.canonical import EXTRACTION_START
from spanloom.core.formats.json_bytes import dump
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.model.step import StepType
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.query.continuations import Continuation

MAX_WHOLE = 16 << 20
"""Maximum characters of a text in which the last message is searched; longer texts stay as is."""
_TEXTS = ("input", "output")
Texts = Literal["raw", "parsed", "last", "none"]
"""Forms of steps' texts: as stored, parsed if JSON, only the last message, or empty."""


def find_step(whole: Json, step_id: str) -> Json | None:
    """Return a step of a document, with its agent's id as ``agent_id``; ``None`` if not found.

    The root has the type ``extraction.root_type`` and an empty ``agent_id``. An agent is returned
    without its own steps.
    """
    found = next((step for step in _steps(whole) if step.id == step_id), None)
    if found is None:
        return None
    return {**found.json, "type": found.type, "agent_id": found.agent_id}


def brief_steps(whole: Json) -> list[Json]:
    """Return the steps of a document without their texts, each once, the root first.

    Times are strings of milliseconds, as in the document. A root is included only if it is an agent
    or a graph, because a model or tool is already among the steps.
    """
    *owned, root = _steps(whole)
    steps = [root, *owned] if root.type in (StepType.AGENT, StepType.GRAPH) else owned
    return list(map(_brief, steps))


def _brief(step: DocumentStep) -> Json:
    info, usage = step.basic_info, step.model_info
    return {
        "step_id": step.id,
        "parent_id": step.parent_id or None,
        "agent_id": step.agent_id or None,
        "type": step.type,
        "name": step.name,
        "model": step.metadata.get("model"),
        "started_at": info["started_at"],
        "duration": info["duration"],
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "error": step.error,
    }


def spans_under(spans: bytes, step_id: str) -> list[Json]:
    """Return the classified spans that belong to a step, the step's own span first.

    ``spans`` is the stored list of classified spans, in the order of their starts.
    """
    found: list[Json] = [span for span in orjson.loads(spans) if span["step_id"] == step_id]
    return sorted(found, key=lambda span: span["span_id"] != step_id)


def with_texts(document: bytes, texts: Texts) -> bytes:
    """Return the document with the texts of steps converted; for ``raw``, the same bytes."""
    if texts == "raw":
        return document
    whole: Json = orjson.loads(document)
    view = Document(whole)
    for step in (view.root, *view.agents, *view.steps):
        turn_texts_of(step.json, texts)
    return orjson.dumps(whole)


def turn_texts_of(step: Json, texts: Texts) -> None:
    """Convert a step's texts in place: parse JSON, keep only the last message, or empty them."""
    if texts == "last":
        step["input"] = question_in(step["input"], MAX_WHOLE)
        step["output"] = answer_in(step["output"], MAX_WHOLE)
    for name in _TEXTS:
        if texts == "none":
            step[name] = ""
        elif texts == "parsed" and isinstance(value := json_value(step[name]), (dict, list)):
            step[name] = value


def _steps(whole: Json) -> Iterator[DocumentStep]:
    view = Document(whole)
    yield from view.steps
    yield view.root


_MARKS = (b'"is_resuming":true', b'"pauses":[{')
"""Members of a paused or resuming run; texts cannot contain them, because quotes are escaped."""
_END = b"}}"
"""The end of ``extraction``, the last member, and of the document."""


def may_continue(document: bytes) -> bool:
    """Return whether a document's run is paused, or resumes a paused run."""
    start = max(document.rfind(EXTRACTION_START), 0)
    return any(document.find(mark, start) >= 0 for mark in _MARKS)


def with_continuation(document: bytes, found: Continuation) -> bytes:
    """Return the document with the members ``resumes`` and ``resumed_by`` added."""
    members = {name: trace_id for name, trace_id in found._asdict().items() if trace_id}
    if not members:
        return document
    return b"%b,%b%b" % (document.removesuffix(_END), dump(members)[1:-1], _END)
