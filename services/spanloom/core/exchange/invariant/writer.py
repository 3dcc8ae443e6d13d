"""Writes runs for Invariant Explorer, with or without assessments: one line per agent.

A line is ``{index, messages, annotations, metadata}``, as in Explorer's dataset files. Messages
have its strict form: arguments are objects, every call has an id, and parts are texts or images. An
annotation is ``{content, address, extra_metadata}``; its address is ``messages.2.content:0-5`` for
a range of a text, ``messages.2`` for a step. If the target of an assessment has no message (an
agent, a graph node, the run itself, a step that no longer exists), the assessment is in
``metadata.assessments``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.invariant import CALL_ID, PARTS, SOURCE
from spanloom.core.conventions.listed_messages import RAW
from spanloom.core.document import Document
from spanloom.core.exchange.invariant.counting import count_of_answers, count_of_run, count_of_texts
from spanloom.core.exchange.invariant.lines import PARENT
from spanloom.core.exchange.invariant.places import places_of
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.stored import Stored
    from spanloom.core.formats.turns import Turn
    from spanloom.core.model.annotation import Assessment

    Spots = Mapping[tuple[str, str, str], tuple[int, str, int | None]]
    """Maps step id, field and part to a line, an address, and the offset of the text, if any."""

_PARTS = frozenset({"text", "image_url"})
_ODD = frozenset({CALL_ID, PARTS})


def encode_invariant(stored: Stored, losses: Losses) -> bytes:
    """Return the lines of a run as a JSON list; see ``RunWriter``."""
    view = stored.view
    has_error = {"has_error": bool(view.extraction.errors)}
    lines = _lines(view, (), losses, has_error)
    return dump([{"index": at, **line} for at, line in enumerate(lines)])


def invariant_lines(document: Json, assessments: Iterable[Assessment]) -> Iterator[Json]:
    """Yield one line per agent with messages, the root agent's line first.

    A run without messages has one line with its question and answer.
    """
    return _lines(Document(document), assessments, Losses(), {})


def _lines(
    view: Document, assessments: Iterable[Assessment], losses: Losses, more: Json
) -> Iterator[Json]:
    conversations = ((agent, conversation(agent, losses, repeats=True)) for agent in view.agents)
    talks = [(agent, turns) for agent, turns in conversations if turns]
    count_of_run(view, [agent.id for agent, _ in talks], losses)
    lines = [_line(agent, _messages(agent, turns, losses)) for agent, turns in talks]
    if not lines:
        lines = [_line(view.root, _gist(view.root))]
    agents: Sequence[DocumentStep] = [agent for agent, _ in talks] or [view.root]
    for agent, written in zip(agents, lines, strict=True):
        count_of_texts(agent, written["messages"], losses)
    marks = list(assessments)
    spots = _spots(talks) if marks else {}
    for assessment in marks:
        line, address = _address(assessment, spots)
        placed = lines[line]["annotations"]
        if address:
            placed.append(_annotation(assessment) | {"address": address})
        else:
            lines[0]["metadata"].setdefault("assessments", []).append(_annotation(assessment))
    for at, line_ in enumerate(lines):
        about = {**_about(view), **more} if at == 0 else {PARENT: view.id}
        agent = talks[at][0] if talks else view.root
        yield {**line_, "metadata": {**about, **line_["metadata"], **_source(agent, view, at)}}


def _line(agent: DocumentStep, messages: Sequence[Json]) -> Json:
    return {"messages": messages, "annotations": [], "metadata": {"agent": agent.name}}


def _source(agent: DocumentStep, view: Document, at: int) -> Json:
    """Return the metadata of the line from which an agent was read, with the run's id."""
    text = agent.metadata.get(SOURCE)
    if not isinstance(text, str):
        return {}
    source = json_object(text)
    return source | ({PARENT: view.id} if at else {"trace_id": view.id})


def _messages(agent: DocumentAgent, turns: Sequence[Turn], losses: Losses) -> Sequence[Json]:
    count_of_answers(agent, losses)
    messages = [_strict(turn, losses) for turn in turns]
    odd = {s.id: s.metadata for s in agent.steps if not _ODD.isdisjoint(s.metadata)}
    for turn, message in zip(turns, messages, strict=True) if odd else ():
        if turn.step_id in odd and message["role"] == "tool":
            _restore(message, odd[turn.step_id])
    return messages


def _restore(message: Json, metadata: Mapping[str, str]) -> None:
    """Restore the imported message of a tool result, because the step has only its text."""
    message["tool_call_id"] = metadata.get(CALL_ID, message["tool_call_id"])
    parts = json_value(message["content"]) if PARTS in metadata else None
    if isinstance(parts, list):
        message["content"] = parts


def _about(document: Document) -> Json:
    """Return metadata for the root agent's line: ids, name and metrics of the run."""
    root = document.root
    known = {
        "version": document.extraction.version or None,
        "input_tokens": root.metrics_info.get("input_tokens"),
        "output_tokens": root.metrics_info.get("output_tokens"),
        "duration_ms": root.basic_info.get("duration"),
    }
    present = {name: value for name, value in known.items() if value is not None}
    return {"trace_id": document.id, "name": root.name, **present}


def _gist(root: DocumentStep) -> Sequence[Json]:
    """Return the question and the answer of a run as two messages."""
    question, answer = question_in(root.input), answer_in(root.output)
    request = {"role": "user", "content": question}
    return [request, {"role": "assistant", "content": answer}]


def _spots(talks: Iterable[tuple[DocumentAgent, Sequence[Turn]]]) -> Spots:
    """Return the positions of steps and of their texts; a step is at its last message."""
    spots: dict[tuple[str, str, str], tuple[int, str, int | None]] = {}
    for line, (agent, turns) in enumerate(talks):
        steps = {step.id: step for step in agent.steps}
        for at, turn in enumerate(turns):
            spots[turn.step_id, "", ""] = line, f"messages.{at}", None
            is_text = isinstance(turn.message["content"], str)
            for (field, part), (within, begin) in places_of(turn, steps[turn.step_id]).items():
                offset = begin if within == "content" and is_text else None
                spots[turn.step_id, field, part] = line, f"messages.{at}.{within}", offset
    return spots


def _address(assessment: Assessment, spots: Spots) -> tuple[int, str]:
    """Return an assessment's line and address, which is empty if its target has no message."""
    whole = spots.get((assessment.step_id, "", ""), (0, "", None))
    if (place := assessment.place) is None:
        return whole[:2]
    line, address, begin = spots.get((assessment.step_id, place.field, place.part), whole)
    if begin is None:
        return line, address
    return line, f"{address}:{begin + place.start}-{begin + place.end}"


def _annotation(assessment: Assessment) -> Json:
    """Return an annotation: a readable text, and all data of the assessment as metadata."""
    facts = assessment.facts
    names = ("correctness", "type", "error_type", "subtype", "error_subtype", "severity", "score")
    label = ", ".join(str(facts[name]) for name in names if name in facts)
    quote = assessment.place.quote if assessment.place else facts.get("quote", "")
    why = str(facts.get("rationale", "")) or (f"“{quote}”" if quote else "")
    about = {
        "scheme": assessment.scheme,
        "annotator": assessment.annotator,
        "step_id": assessment.step_id,
    }
    text = " ".join(filter(None, (f"[{label or assessment.scheme}]", why)))
    return {"content": text, "extra_metadata": {"source": "spanloom", **about, **facts}}


def _strict(turn: Turn, losses: Losses) -> Json:
    """Return a message with only the members that Invariant's tools accept."""
    message = turn.message
    role, content = message["role"], message["content"]
    if "name" in message and role != "tool":
        losses.note(Code.METADATA_DROPPED, turn.step_id)
    if isinstance(content, list):
        content = [_part(part, turn, losses) for part in content]
    strict = {"role": role, "content": content}
    if "tool_call_id" in message:
        strict["tool_call_id"] = message["tool_call_id"]
    if calls := message.get("tool_calls"):
        strict["tool_calls"] = list(map(_call, calls, turn.arguments))
    return strict


def _part(part: object, turn: Turn, losses: Losses) -> Json:
    known: Json = part if isinstance(part, dict) else {}
    kind = known.get("type", "part")
    if kind in _PARTS:
        return known
    losses.note(Code.PARTS_DROPPED, turn.step_id)
    return {"type": "text", "text": f"[{kind}]"}


def _call(call: Json, arguments: object) -> Json:
    function = call.get("function") or {}
    given = function.get("arguments")
    value = arguments if isinstance(arguments, dict) else {RAW: given} if given else {}
    named = {"name": str(function.get("name", "")), "arguments": value}
    return {"id": call["id"], "type": "function", "function": named}
