"""Writes a run as an evaluation log with one sample, and the steps as events.

Facts that Inspect lacks are in the event's metadata, under the key ``spanloom``: ids, types,
names, failures and attributes of steps. The reader restores the run from them.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.exchange.inspect.messages import ASSISTANT, written
from spanloom.core.exchange.inspect.scores import OURS, write_scores
from spanloom.core.exchange.inspect.times import moment, written_usage
from spanloom.core.exchange.kept import OF_THE_SOURCE, Kept, count_lost
from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.messages.texts import messages_in, question_in
from spanloom.core.model.trajectory import Outcome
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.stored import Stored

VERSION = 2
TARGET = "target"
"""Name of the expected answer, in a sample and in the metadata of a run."""
NO_MODEL = "none/none"
_CALLS = frozenset({"model", "tool"})
_MS = 1_000


def write_log(stored: Stored, losses: Losses) -> bytes:
    """Return a run as a log, which ``inspect_ai.log.read_eval_log`` can read."""
    view = stored.view
    sample = _sample(view, losses)
    if scores := write_scores(stored.scores, losses):
        sample["scores"] = scores
    started = sample["started_at"]
    model = next(iter(sample["model_usage"]), NO_MODEL)
    return dump(
        {
            "version": VERSION,
            "status": "success",
            "eval": {
                "eval_id": view.id,
                "created": started,
                "task": view.root.name or "run",
                "dataset": {"name": view.extraction.project, "samples": 1},
                "model": model,
                "config": {},
            },
            "plan": {},
            "results": {"total_samples": 1, "completed_samples": 1, "scores": []},
            "stats": {
                "started_at": started,
                "completed_at": sample["completed_at"],
                "model_usage": sample["model_usage"],
            },
            "samples": [sample],
        }
    )


def _sample(view: Document, losses: Losses) -> Json:
    root = view.root
    count_lost(view, _KEPT, losses)
    steps = _by_id(view)
    begin, end = root.times
    answer = _last_answer(steps)
    extraction = view.extraction
    of_run = {k: v for k, v in extraction.json.items() if k in _OF_THE_RUN}
    ours = {"trace_id": view.id, "version": extraction.version or 1, **of_run}
    sample: Json = {
        "id": view.id,
        "epoch": 1,
        "input": question_in(root.input),
        "target": extraction.metadata.get(TARGET, ""),
        "messages": list(_messages(view)),
        "output": answer,
        "metadata": {OURS: ours},
        "model_usage": _usage_by_model(steps),
        "events": list(_events(view, steps, losses)),
        "started_at": moment(begin),
        "completed_at": moment(end),
        "total_time": (end - begin) / _MS,
        "uuid": view.id,
    }
    if extraction.outcome == Outcome.FAILED:
        sample["error"] = {"message": _cause(view), "traceback": "", "traceback_ansi": ""}
    return sample


def _by_id(view: Document) -> Mapping[str, DocumentStep]:
    """Return all steps, keyed by id; a root other than an agent is not from ``agent_steps``."""
    steps, root = view.by_id(), view.root
    if root.type in _CALLS:
        steps[root.id] = next((step for step in view.steps if step.id == root.id), root)
    elif root.type != "agent":
        steps[root.id] = root
    return steps


_OF_THE_RUN = frozenset({*OF_THE_SOURCE, "warnings"})
_KEPT = Kept(_OF_THE_RUN)
"""The format preserves all members of the steps."""


def _cause(view: Document) -> str:
    errors = view.extraction.errors
    lasting = [one for one in errors if not one.is_recovered] or errors
    return str(lasting[0].message) if lasting else ""


def _messages(view: Document) -> Iterator[Json]:
    """Yield the conversation of the first agent as the messages of the sample."""
    for agent in islice(view.agents, 1):
        for turn in conversation(agent):
            yield written(turn.message, Losses(), turn.step_id)  # losses are counted with the event


def _last_answer(steps: Mapping[str, DocumentStep]) -> Json:
    """Return the output of the last model call; its losses are counted with its event."""
    calls = [step for step in steps.values() if step.type == "model"]
    if not calls:
        return {"model": NO_MODEL, "choices": []}
    return _output(max(calls, key=lambda step: step.times), Losses())


def _usage_by_model(steps: Mapping[str, DocumentStep]) -> Json:
    used: defaultdict[str, Json] = defaultdict(dict)
    for step in steps.values():
        if step.type == "model":
            total = used[step.model or NO_MODEL]
            for name, count in written_usage(step.model_info).items():
                total[name] = total.get(name, 0) + count
    return dict(used)


def _events(view: Document, steps: Mapping[str, DocumentStep], losses: Losses) -> Iterator[Json]:
    """Yield begin and end events for agents, graph nodes and the run, and an event per call."""
    root = view.root
    places = {step.id: place for place, step in enumerate(view.steps)}
    below: defaultdict[str, list[DocumentStep]] = defaultdict(list)
    for step in steps.values():
        if step.id != root.id:
            below[_span_around(step, steps, root)].append(step)

    def in_order(step: DocumentStep) -> tuple[int, int]:
        return step.started_at, places.get(step.id, -1)

    waiting: list[tuple[DocumentStep, bool]] = [(steps.get(root.id, root), True)]
    began = root.started_at
    while waiting:
        step, is_begin = waiting.pop()
        around = "" if step.id == root.id else _span_around(step, steps, root)
        if step.type in _CALLS:
            call = _model_event if step.type == "model" else _tool_event
            yield _event(step, around, began) | call(step, losses)
        elif is_begin:
            yield _begin(step, around, began, losses)
            waiting.append((step, False))
        else:
            yield {
                "event": "span_end",
                "id": step.id,
                "span_id": step.id,
                "timestamp": moment(step.times[1]),
                "working_start": (step.times[1] - began) / _MS,
            }
        if is_begin:
            inner = sorted(below.pop(step.id, ()), key=in_order, reverse=True)
            waiting += [(one, True) for one in inner]


def _span_around(step: DocumentStep, steps: Mapping[str, DocumentStep], root: DocumentStep) -> str:
    """Return the id of the nearest ancestor that is not a call; calls cannot contain events."""
    above, passed = step.parent_id, {step.id}
    while above in steps and above not in passed and above != root.id:
        if steps[above].type not in _CALLS:
            return above
        passed.add(above)
        above = steps[above].parent_id
    return root.id


def _event(step: DocumentStep, around: str, began: int) -> Json:
    begin, end = step.times
    shown: Json = {
        "uuid": step.id,
        "timestamp": moment(begin),
        "working_start": (begin - began) / _MS,
        "completed": moment(end),
        "working_time": (end - begin) / _MS,
        "metadata": {OURS: _ours(step)},
    }
    return shown | ({"span_id": around} if around else {})


def _ours(step: DocumentStep) -> Json:
    is_call = step.type == "model"
    known: Json = {
        "step_id": step.id,
        "parent_id": step.parent_id,
        "type": step.type,
        "name": step.name,
        "metadata": {k: v for k, v in step.metadata.items() if k != "model" or not is_call},
        "model": step.model if is_call else "",
        "error": step.error,
        "latency_first_resp": step.model_info.get("latency_first_resp"),
        "input": step.input if step.type == "tool" and not _is_as_written(step) else "",
    }
    return {k: v for k, v in known.items() if v not in (None, "", {})}


def _begin(step: DocumentStep, around: str, began: int, losses: Losses) -> Json:
    """Return the begin event of a span; its texts are in metadata, because spans have none."""
    if step.type == "graph":
        losses.note(Code.GRAPH_FLATTENED, step.id)
    event = _event(step, around, began)
    event["metadata"][OURS] |= {"input": step.input, "output": step.output}
    kept = {k: v for k, v in event.items() if k not in ("completed", "working_time", "span_id")}
    named = {"event": "span_begin", "id": step.id, "name": step.name, "span_id": step.id}
    kind = {"type": "agent"} if step.type == "agent" else {}
    return kept | named | kind | ({"parent_id": around} if around else {})


def _model_event(step: DocumentStep, losses: Losses) -> Json:
    shown: Json = {
        "event": "model",
        "model": step.model or NO_MODEL,
        "input": [written(one, losses, step.id) for one in _all_in(step.input, "user")],
        "tools": [],
        "tool_choice": "auto",
        "config": {},
        "output": _output(step, losses),
    }
    return shown | ({"error": step.error_message} if step.error else {})


def _output(step: DocumentStep, losses: Losses) -> Json:
    answers = [written(one, losses, step.id) for one in _all_in(step.output, ASSISTANT)]
    choices = [
        {"message": one, "stop_reason": "tool_calls" if one.get("tool_calls") else "stop"}
        for one in answers
        if one["role"] == ASSISTANT
    ]
    usage = written_usage(step.model_info)
    return {"model": step.model or NO_MODEL, "choices": choices, "usage": usage}


def _all_in(text: str, role: str) -> Sequence[Json]:
    return [dict(message) for message in messages_in(text, role)]


def _tool_event(step: DocumentStep, losses: Losses) -> Json:
    value = json_value(step.input)
    arguments = value if isinstance(value, dict) else {}
    if arguments is not value and step.input:
        losses.note(Code.ARGS_NOT_OBJECT, step.id)
    shown: Json = {
        "event": "tool",
        "type": "function",
        "id": str(step.metadata.get("tool_call_id") or step.id),
        "function": step.name,
        "arguments": arguments,
        "result": step.output,
        "events": [],
    }
    failed = {"error": {"type": "unknown", "message": step.error_message}, "failed": True}
    return shown | (failed if step.error else {})


def _is_as_written(step: DocumentStep) -> bool:
    """Return whether the arguments of a tool survive parsing and serializing unchanged."""
    value = json_value(step.input)
    return isinstance(value, dict) and bool(value) and dump(value).decode() == step.input
