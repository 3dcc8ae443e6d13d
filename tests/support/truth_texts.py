"""Measures the texts and failures of a trajectory against the ground truth.

As in ``ground_truth.py``, a measure returns the faults; an empty list is a pass.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.truth_answers import (
    STOPPED,
    as_written,
    came_to_nothing,
    find_false_answers,
    plain,
    text_of,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tests.support.ground_truth import Answer, Capture

Json = dict[str, Any]  # documents as in API responses


def check_answers(capture: Capture, answers: Sequence[Answer]) -> list[str]:
    """Check that each model step has exactly the model's output and tool calls.

    If the truth has the model's input (``told``), the step must have it too.
    """
    calls = {call["seq"]: call for call in capture.truth.get("model_calls", [])}
    return [
        f"model call {number} {wrong}"
        for number, step in steps_telling(capture, answers, "model_call")
        if number in calls
        for wrong in _answer_faults(calls[number], step)
    ]


def check_tools(capture: Capture, answers: Sequence[Answer]) -> list[str]:
    """Check that every tool step has arguments, and a result if it succeeded.

    If the truth has them (``arguments``, ``result``), they must be equal.
    """
    return [
        f"tool {run['name']}: {wrong}"
        for run, step in steps_telling(capture, answers, "tool_call")
        if step["metadata"].get("outcome") not in STOPPED
        for wrong in _tool_faults(run, step)
    ]


def _tool_faults(run: Mapping[str, Any], step: Json) -> Iterator[str]:
    is_ok = run.get("outcome") == "ok"
    for text, known in (("input", "arguments"), ("output", "result")):
        if text == "output" and not is_ok:
            continue
        if not step[text]:
            yield f"no {text}"
        elif known in run and words(step[text]) != words(as_written(run[known])):
            yield f"{known} {step[text][:60]!r}, in truth {run[known]!r}"


def check_ends(capture: Capture, answers: Sequence[Answer]) -> list[str]:
    """Check that agents and root have the request and, unless they failed, the true answer."""
    return [*_untold_ends(answers), *find_false_answers(capture, answers)]


def _untold_ends(answers: Sequence[Answer]) -> list[str]:
    return [
        f"{what} {step['name']} has no {text}"
        for answer in answers
        if any(answer.steps())
        for what, step in _owners(answer.document)
        for text in ("input", "output")
        if not step[text] and not (text == "output" and came_to_nothing(answer, step))
    ]


def check_words(capture: Capture, answers: Sequence[Answer]) -> list[str]:
    """Check the type and message of every failure in the truth."""
    shown = json.dumps([_errors(a.document) for a in answers], ensure_ascii=False)
    return [
        f"{error.get('name') or error['component']}: {part} {error[part]!r} is not told"
        for error in capture.truth["expected_errors"]
        for part in ("type", "message")
        if error.get(part) and json.dumps(error[part], ensure_ascii=False)[1:-1] not in shown
    ]


def steps_telling(
    capture: Capture, answers: Iterable[Answer], what: str
) -> Iterator[tuple[Any, Json]]:
    """Yield the true value of ``what`` for each step, with the step; spans determine the step."""
    spans = {s["span_id"]: s["step_id"] for a in answers for s in a.spans}
    steps = {s["id"]: s for a in answers for _, s in a.steps()}
    seen = set()
    for span_id, span in capture.truth["spans"].items():
        step_id = spans.get(span_id)
        if what in span and span[what] is not None and step_id in steps and step_id not in seen:
            seen.add(step_id)
            yield span[what], steps[step_id]


def _answer_faults(call: Mapping[str, Any], step: Json) -> Iterator[str]:
    if call.get("status", 200) != 200 or call["text"] is None:
        return
    messages = json.loads(step["output"]) if step["output"].startswith("[{") else []
    said = "".join(text_of(m.get("content")) for m in messages)
    asked = [c["function"]["name"] for m in messages for c in m.get("tool_calls") or []]
    if plain(said) != plain(call["text"]):
        yield f"said {call['text'][:40]!r}, shown {said[:40]!r}"
    told = json.loads(step["input"]) if step["input"].startswith("[{") else []
    given = plain("".join(text_of(m.get("content")) for m in told))
    for text in call.get("told", ()):
        if plain(text) not in given:
            yield f"was not told {text[:40]!r}"
    if sorted(asked) != sorted(call["asks_for_tools"] or []):
        yield f"asks for {call['asks_for_tools']}, shown {asked}"


def _owners(document: Json) -> Iterator[tuple[str, Json]]:
    yield "root", document["root_step"]
    for agent in document["agent_steps"]:
        if agent["id"] != document["root_step"]["id"]:
            yield "agent", agent


def _errors(document: Json) -> list[Json]:
    steps = [document["root_step"], *document["agent_steps"]]
    inner = [s for a in document["agent_steps"] for s in a["steps"]]
    found = [s["basic_info"].get("error", {}) for s in [*steps, *inner]]
    return [*found, *document["extraction"].get("errors", [])]
