"""Makes steps from the events of a sample: model calls, tools, and spans of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.drafts import STEP_KINDS, DraftStep
from spanloom.core.exchange.ids import note_made, step_id_of
from spanloom.core.exchange.inspect.messages import arguments_text, read, read_all
from spanloom.core.exchange.inspect.scores import OURS
from spanloom.core.exchange.inspect.times import milliseconds, read_usage
from spanloom.core.exchange.inspect.unread import count_of_event
from spanloom.core.exchange.inspect.writing import NO_MODEL
from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

MOST_S = 1e9
"""Maximum plausible duration of a call, in seconds (30 years); longer durations are ignored."""


def steps_of_events(
    sample: Json, about: Json, events: Sequence[Json], trace_id: str, losses: Losses
) -> list[DraftStep]:
    """Return the steps, the root first.

    The root is the log's own root span, or an agent made around all steps. An event without a time
    gets the start of the preceding event.
    """
    known = (milliseconds(event.get("timestamp")) for event in events)
    began = next((ms for ms in known if ms is not None), milliseconds(sample.get("started_at")))
    steps = _Steps(trace_id, began or 0, losses)
    for at, event in enumerate(events):
        steps.add(event, at)
    return steps.whole(sample, about)


class _Steps:
    """Collects steps from events; spans that are not agents only serve to find parents."""

    def __init__(self, trace_id: str, began_ms: int, losses: Losses) -> None:
        self._trace_id, self._now, self._losses = trace_id, began_ms, losses
        self._steps: dict[str, DraftStep] = {}
        self._step_of_span: dict[str, str] = {}
        """For each span id: the id of the span's step, or of the nearest ancestor's step."""
        self._ours: set[str] = set()
        """Ids of steps that ``writing.py`` wrote, so that their parents are known."""

    def add(self, event: Json, at: int) -> None:
        kind = event.get("event")
        if kind == "span_begin":
            self._begin(event, at)
        elif kind == "span_end":
            self._end(event, at)
        elif kind in ("model", "tool"):
            step = (_model if kind == "model" else _tool)(event, self._id(event, at))
            step.start_ms = self._start(event, at)
            step.duration_ms = self._duration(event, at, step.start_ms)
            self._keep(step, event, str(event.get("span_id") or ""))
        else:
            self._losses.note(Code.METADATA_DROPPED, f"events.{at}")
            return
        count_of_event(event, f"events.{at}", self._losses)

    def _start(self, event: Json, at: int) -> int:
        found = milliseconds(event.get("timestamp"))
        self._losses.note(Code.DURATION_UNKNOWN, f"events.{at}.timestamp", found is None)
        self._now = self._now if found is None else found
        return self._now

    def _duration(self, event: Json, at: int, start_ms: int) -> int:
        took = _took(event, start_ms)
        self._losses.note(Code.DURATION_UNKNOWN, f"events.{at}.completed", took is None)
        return took or 0

    def _begin(self, event: Json, at: int) -> None:
        span_id, around = str(event.get("id") or ""), str(event.get("parent_id") or "")
        ours = ours_of(event)
        if not ours and event.get("type") != "agent":
            self._losses.note(Code.GRAPH_FLATTENED, f"events.{at}")
            self._step_of_span[span_id] = self._step_of_span.get(around, "")
            return
        step = DraftStep(
            self._id(event, at),
            "",
            STEP_KINDS.get(str(ours.get("type", "agent")), Kind.OTHER),
            str(ours.get("name", event.get("name") or "agent")),
            as_text(ours.get("input")),
            as_text(ours.get("output")),
            self._start(event, at),
            error=_error(ours, None),
            model=as_text(ours.get("model")),
            metadata=_metadata(ours),
        )
        self._step_of_span[span_id] = step.id
        self._keep(step, event, around)

    def _end(self, event: Json, at: int) -> None:
        step = self._steps.get(self._step_of_span.get(str(event.get("id")), ""))
        if step is None:
            return
        ended = milliseconds(event.get("timestamp"))
        self._losses.note(Code.DURATION_UNKNOWN, f"events.{at}.timestamp", ended is None)
        step.duration_ms = 0 if ended is None else max(0, ended - step.start_ms)

    def _id(self, event: Json, at: int) -> str:
        own = ours_of(event).get("step_id") or event.get("uuid") or ""
        made = step_id_of(self._trace_id, f"events.{at}", str(own), self._steps)
        note_made(made, str(own), f"events.{at}", self._losses)
        return made

    def _keep(self, step: DraftStep, event: Json, around: str) -> None:
        self._steps[step.id] = step
        if own := ours_of(event):
            self._ours.add(step.id)
            step.parent_id = str(own.get("parent_id", ""))
        else:
            step.parent_id = self._step_of_span.get(around, "")

    def whole(self, sample: Json, about: Json) -> list[DraftStep]:
        """Return all steps, below a single root."""
        tops = [step for step in self._steps.values() if not step.parent_id]
        is_alone = len(tops) == 1 and tops[0].kind is Kind.AGENT
        if is_alone or (tops and tops[0].id in self._ours):  # as ``writing.py`` orders them
            root = tops[0]
        else:
            root = root_of(sample, about, self._trace_id, list(self._steps.values()))
        for step in self._steps.values():
            if step is not root and step.parent_id not in self._steps:
                step.parent_id = root.id
        return [root, *(step for step in self._steps.values() if step is not root)]


def root_of(sample: Json, about: Json, trace_id: str, steps: Sequence[DraftStep]) -> DraftStep:
    """Make a root agent around all steps, with the name of the task and the sample's texts."""
    begin = milliseconds(sample.get("started_at"))
    began = min([step.start_ms for step in steps] or [begin or 0])
    began = began if begin is None else min(begin, began)
    ended = max([step.start_ms + step.duration_ms for step in steps] or [began])
    ended = max(milliseconds(sample.get("completed_at")) or ended, ended)
    return DraftStep(
        step_id_of(trace_id, ""),
        "",
        Kind.AGENT,
        str(about.get("task") or "run"),
        _input_text(sample.get("input")),
        _answered(sample.get("output")),
        began,
        max(0, ended - began),
        error=_error({}, (sample.get("error") or {}).get("message"))
        if isinstance(sample.get("error"), dict)
        else None,
    )


def _input_text(value: object) -> str:
    if isinstance(value, str):
        return value
    found = read_all(value)
    return dump(found).decode() if found else ""


def _answered(output: object) -> str:
    if not isinstance(output, dict):
        return ""
    if isinstance(output.get("completion"), str) and output["completion"]:
        return str(output["completion"])
    answers = _answers(output)
    content = answers[-1].get("content") if answers else ""
    return content if isinstance(content, str) else dump(content).decode()


def _answers(output: Mapping[str, Any]) -> list[Json]:
    choices = output.get("choices")
    found: Iterable[Any] = choices if isinstance(choices, list) else ()
    messages = [one.get("message") for one in found if isinstance(one, dict)]
    return [read(one) for one in messages if isinstance(one, dict)]


def _model(event: Json, step_id: str) -> DraftStep:
    output = event.get("output")
    answer: Json = output if isinstance(output, dict) else {}
    messages, answers, ours = read_all(event.get("input")), _answers(answer), ours_of(event)
    model = as_text(ours.get("model") or answer.get("model") or event.get("model"))
    return DraftStep(
        step_id,
        "",
        Kind.MODEL,
        str(ours.get("name", event.get("model") or "model")),
        dump(messages).decode() if messages else "",
        dump(answers).decode() if answers else "",
        error=_error(ours, event.get("error") or answer.get("error")),
        usage=read_usage(answer.get("usage")),
        model="" if model == NO_MODEL else model,
        first_token_ms=_first_token(ours.get("latency_first_resp")),
        metadata=_metadata(ours),
    )


def _tool(event: Json, step_id: str) -> DraftStep:
    ours, arguments, error = ours_of(event), event.get("arguments"), event.get("error")
    name = str(ours.get("name", event.get("function") or "tool"))
    own = {"tool_call_id": as_text(event.get("id")), "tool_name": name}
    return DraftStep(
        step_id,
        "",
        Kind.TOOL,
        name,
        as_text(ours.get("input")) or (arguments_text(arguments) if arguments else ""),
        _result(event.get("result")),
        error=_error(ours, error.get("message") if isinstance(error, dict) else None),
        metadata=_metadata(ours) if ours else {k: v for k, v in own.items() if v},
    )


def _took(event: Json, start_ms: int) -> int | None:
    """Return the duration of a call in milliseconds; ``None`` if unknown."""
    ended = milliseconds(event.get("completed"))
    if ended is not None:
        return max(0, ended - start_ms)
    worked = event.get("working_time")
    if not isinstance(worked, int | float) or isinstance(worked, bool):
        return None
    return int(worked * 1_000) if 0 <= worked < MOST_S else None


def _result(result: object) -> str:
    """Return a tool's result as text; a list of parts becomes the texts of the parts."""
    if isinstance(result, list | dict):
        content = read(
            {"role": "tool", "content": result if isinstance(result, list) else [result]}
        )
        return as_text(content["content"])
    return as_text(result)


def _error(ours: Mapping[str, Any], message: object) -> StepError | None:
    """Return the error that ``writing.py`` recorded, otherwise the log's error, if any."""
    written = ours.get("error")
    if isinstance(written, dict):
        code, about = written.get("code"), _metadata(ours)
        known = code if isinstance(code, int) and not isinstance(code, bool) else NO_CODE
        type_, reported_by = (about.get(name, "") for name in ("error_type", "error_told_by"))
        return StepError(known, as_text(written.get("msg")), type_, reported_by=reported_by)
    return None if message is None else StepError(NO_CODE, as_text(message))


def _first_token(value: object) -> float | None:
    try:
        return None if value is None else float(str(value))
    except ValueError:
        return None


def _metadata(ours: Mapping[str, Any]) -> Mapping[str, str]:
    found = ours.get("metadata")
    known = found.items() if isinstance(found, dict) else ()
    return {str(name): as_text(value) for name, value in known}


def ours_of(event: Json) -> Mapping[str, Any]:
    """Return the metadata that ``writing.py`` added to an event or sample; empty if none."""
    metadata = event.get("metadata")
    found = metadata.get(OURS) if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}
