"""Writes runs with assessments for Invariant Explorer: one line per agent.

A line is a row of its dataset files: ``{index, messages, annotations, metadata}``. Messages are in
its strict form: arguments are objects, every call has an id, parts are text or images. An
annotation is ``{content, address, extra_metadata}``; its address is ``messages.2.content:0-5`` for
a range of a text, ``messages.2`` for a step. Assessments of anything without a message (an agent, a
graph node, the run itself, a step that no longer exists) are in ``metadata.assessments``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.document import Document
from spanloom.core.formats.conversation import conversation
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.conversation import Turn
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.model.annotation import Assessment

    Spots = Mapping[tuple[str, str, str], tuple[int, str, int | None]]
    """By step, field and part: line, address, and the offset in the text there, if it is a text."""

_PARTS = frozenset({"text", "image_url"})
_KEPT = ("role", "content", "tool_call_id")


def invariant_lines(document: Json, assessments: Iterable[Assessment]) -> Iterator[Json]:
    """Yield one line per agent with messages, that of the root agent first.

    A run without messages has one line with its question and answer.
    """
    view = Document(document)
    talks = [(agent, turns) for agent in view.agents if (turns := conversation(agent))]
    lines = [_line(agent, [_strict(turn.message) for turn in turns]) for agent, turns in talks]
    if not lines:
        lines = [_line(view.root, _gist(view.root))]
    spots = _spots([turns for _, turns in talks])
    for assessment in assessments:
        line, address = _address(assessment, spots)
        placed = lines[line]["annotations"]
        if address:
            placed.append(_annotation(assessment) | {"address": address})
        else:
            lines[0]["metadata"].setdefault("assessments", []).append(_annotation(assessment))
    for at, line_ in enumerate(lines):
        about = _about(view) if at == 0 else {"parent_trace": view.id}
        yield {**line_, "metadata": {**about, **line_["metadata"]}}


def _line(agent: DocumentStep, messages: Sequence[Json]) -> Json:
    return {"messages": messages, "annotations": [], "metadata": {"agent": agent.name}}


def _about(document: Document) -> Json:
    """Return the metadata of a run: ids, name and metrics of the document."""
    root = document.root
    known = {
        "version": document.extraction.get("version"),
        "input_tokens": root.metrics_info.get("input_tokens"),
        "output_tokens": root.metrics_info.get("output_tokens"),
        "duration_ms": root.basic_info.get("duration"),
    }
    told = {name: value for name, value in known.items() if value is not None}
    return {"trace_id": document.id, "name": root.name, **told}


def _gist(root: DocumentStep) -> Sequence[Json]:
    """Return the question and the answer of a run as two messages."""
    question, answer = question_in(root.input), answer_in(root.output)
    asked = {"role": "user", "content": question}
    return [asked, {"role": "assistant", "content": answer}]


def _spots(talks: Iterable[Sequence[Turn]]) -> Spots:
    """Return where steps and their texts are; a whole step is at its last message."""
    spots: dict[tuple[str, str, str], tuple[int, str, int | None]] = {}
    for line, turns in enumerate(talks):
        for at, turn in enumerate(turns):
            spots[turn.step_id, "", ""] = line, f"messages.{at}", None
            is_text = isinstance(turn.message["content"], str)
            for (field, part), (within, begin) in turn.parts.items():
                offset = begin if within == "content" and is_text else None
                spots[turn.step_id, field, part] = line, f"messages.{at}.{within}", offset
    return spots


def _address(assessment: Assessment, spots: Spots) -> tuple[int, str]:
    """Return the line and address of an assessment; the address is empty if it has no message."""
    whole = spots.get((assessment.step_id, "", ""), (0, "", None))
    if (place := assessment.place) is None:
        return whole[:2]
    line, address, begin = spots.get((assessment.step_id, place.field, place.part), whole)
    if begin is None:
        return line, address
    return line, f"{address}:{begin + place.start}-{begin + place.end}"


def _annotation(assessment: Assessment) -> Json:
    """Return an annotation: a line for people, and all facts of the assessment as metadata."""
    facts = assessment.facts
    names = ("correctness", "type", "error_type", "subtype", "error_subtype", "severity", "score")
    said = ", ".join(str(facts[name]) for name in names if name in facts)
    quote = assessment.place.quote if assessment.place else facts.get("quote", "")
    why = str(facts.get("rationale", "")) or (f"“{quote}”" if quote else "")
    about = {
        "scheme": assessment.scheme,
        "annotator": assessment.annotator,
        "step_id": assessment.step_id,
    }
    text = " ".join(filter(None, (f"[{said or assessment.scheme}]", why)))
    return {"content": text, "extra_metadata": {"source": "spanloom", **about, **facts}}


def _strict(message: Json) -> Json:
    """Return a message with only the members that Invariant's tools accept."""
    strict = {name: message[name] for name in _KEPT if name in message}
    if isinstance(content := strict["content"], list):
        strict["content"] = [_part(part) for part in content]
    if calls := message.get("tool_calls"):
        strict["tool_calls"] = [_call(call) for call in calls]
    return strict


def _part(part: object) -> Json:
    known: Json = part if isinstance(part, dict) else {}
    kind = known.get("type", "part")
    return known if kind in _PARTS else {"type": "text", "text": f"[{kind}]"}


def _call(call: Json) -> Json:
    function = call.get("function") or {}
    text = function.get("arguments") or "{}"
    value = json_value(text) if isinstance(text, str) else text
    arguments = value if isinstance(value, dict) else {"_raw": text}
    named = {"name": str(function.get("name", "")), "arguments": arguments}
    return {"id": call["id"], "type": "function", "function": named}
