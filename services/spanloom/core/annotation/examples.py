"""Converts annotations to assessments (for other formats), and corrections to training examples."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.annotation.anchors import COUNTING
from spanloom.core.document import Document
from spanloom.core.messages.texts import messages_in
from spanloom.core.model.annotation import MARK_FIELDS, WHOLE, Assessment, Place

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.annotation import Fact

    Json = dict[str, Any]  # a JSON object

_OF_RUN = ("origin", "version", "score", "score_complete")


def assessments_of(entry: Json) -> Iterator[Assessment]:
    """Yield an annotator's assessments of a run: of the run itself, then of its steps in order.

    If a step is no longer in the document, its assessment has the old step id.
    """
    whole = entry.get("value") or {}
    yield _assessment(
        entry, WHOLE, {**_facts(entry, _OF_RUN), **_facts(whole, (*MARK_FIELDS, *whole))}
    )
    for step in entry.get("steps", ()):
        step_id = step.get("stands_at") or step["step_id"]
        yield _assessment(entry, step_id, _facts(step, (*MARK_FIELDS, "state")))
        yield from _placed(entry, step_id, step)
    yield from _placed(entry, WHOLE, entry)


def _placed(entry: Json, step_id: str, annotated: Json) -> Iterator[Assessment]:
    """Yield an assessment for each annotated range, at its current position.

    If the position is unknown, the assessment has the quoted words instead. In a whole-run scheme,
    each range names its step.
    """
    spans = (annotated.get("value") or {}).get("spans")
    places = spans if isinstance(spans, list) else []
    listed = [one if isinstance(one, dict) else {} for one in places]
    now = annotated.get("places") or [(one.get("start"), one.get("end")) for one in listed]
    for one, bounds in zip(listed, now, strict=True):
        if not one:
            continue
        place = _place(one, bounds)
        names = [name for name in one if name not in {*Place._fields, "text", "step_id"}]
        facts = {**_facts(one, names), **({} if place else {"quote": str(one.get("text", ""))})}
        yield _assessment(entry, str(one.get("step_id") or step_id), facts, place)


def _place(one: Json, bounds: Sequence[Any] | None) -> Place | None:
    start, end = bounds or (None, None)
    if type(start) is not int or type(end) is not int:
        return None
    field, part, quote = (str(one.get(name, "")) for name in ("field", "part", "text"))
    return Place(field, part, start, end, quote)


def _assessment(
    entry: Json, step_id: str, facts: Mapping[str, Fact], at: Place | None = None
) -> Assessment:
    return Assessment(step_id, entry["scheme"], entry["annotator"], facts, at)


def _facts(values: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Fact]:
    """Return the members in ``names`` whose value is a non-empty text, a number or a boolean."""
    pairs = ((name, values.get(name)) for name in names)
    return {n: value for n, value in pairs if isinstance(value, str | int | float) and value != ""}


class Fate(StrEnum):
    """The result of exporting a correction as a training example."""

    WRITTEN = "written"
    UNEDITED = "unedited"
    """The edited text equals the original."""
    CHANGED = "changed"
    """The step, or the corrected text, has changed since the annotation."""
    ORPHANED = "orphaned"
    """The step no longer exists."""
    NO_ANSWER = "no_answer"
    """The corrected text is an input or a tool's result, not a model's output."""
    UNREADABLE = "unreadable"
    """``original`` or ``edited`` is not a text, or ``part`` is not a path in the messages."""


_GONE = Fate.CHANGED, None


def apply(
    step: Json, messages: Sequence[Json], text: str, one: object
) -> tuple[Fate, Sequence[Json] | None]:
    """Apply a correction; return its ``Fate``, and the corrected messages or ``None``."""
    if (why_not := _refused(step, one)) or not isinstance(one, dict):
        return why_not or Fate.UNREADABLE, None
    if not one.get("part"):
        is_there = one["original"] == text
        return (Fate.WRITTEN, as_messages(one["edited"], "assistant")) if is_there else _GONE
    copied = orjson.loads(orjson.dumps(messages))
    *path, last = str(one["part"]).split(".")
    holder = _at(copied, path)
    here = _at(holder, [last])
    if here != one["original"]:
        return _GONE if isinstance(here, str) else (Fate.UNREADABLE, None)
    holder[int(last) if isinstance(holder, list) else last] = one["edited"]
    return Fate.WRITTEN, copied


def _refused(step: Json, one: object) -> Fate | None:
    """Return why a correction cannot be applied to a model's output; ``None`` if it may be."""
    if not isinstance(one, dict) or not _is_text(one, "original") or not _is_text(one, "edited"):
        return Fate.UNREADABLE
    if step.get("type") != "model" or one.get("field") != "output":
        return Fate.NO_ANSWER
    return Fate.UNEDITED if one["original"] == one["edited"] else None


def _at(value: Any, path: Sequence[str]) -> Any:  # any JSON value
    """Return the value at a path of keys and indexes; ``None`` if there is none."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def as_messages(text: str, role: str) -> list[Json]:
    """Return the messages in a text; a plain text becomes one message with this role."""
    return messages_in(text, role) or [{"role": role, "content": text}]


def _is_text(one: Json, name: str) -> bool:
    return isinstance(one.get(name), str)


class Example(NamedTuple):
    """A training example: a corrected model output, with all messages before it."""

    prompt: Sequence[Json]
    chosen: Sequence[Json]
    rejected: Sequence[Json]
    about: Json
    """Trace, step, scheme and annotator, and the reason for the correction if there is one."""

    def as_sft(self) -> Json:
        """Return ``{messages, …}``: the prompt and the corrected answer."""
        return {"messages": [*self.prompt, *self.chosen], **self.about}

    def as_dpo(self) -> Json:
        """Return ``{prompt, chosen, rejected, …}``: the corrected answer and the original."""
        return {
            "prompt": self.prompt,
            "chosen": self.chosen,
            "rejected": self.rejected,
            **self.about,
        }


def examples_of(document: Json | None, entry: Json, fates: Counter[str]) -> Iterator[Example]:
    """Yield the examples in an exported entry; count its corrections in ``fates``, per result.

    ``document`` is the current document of the run, or ``None`` if the run is no longer stored.
    """
    steps = _steps(document)
    for step_id, state, corrections in _corrected(entry):
        if state not in COUNTING or step_id not in steps:
            lost = Fate.CHANGED if state == "changed" else Fate.ORPHANED
            fates[lost] += len(corrections)
        elif (example := _example(steps[step_id], corrections, fates)) is not None:
            names = ("trace_id", "scheme", "annotator")
            about = {**{name: entry[name] for name in names}, "step_id": step_id}
            yield example._replace(about={**about, **example.about})


def _corrected(entry: Json) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield (current step id, annotation state, corrections) for each corrected step."""
    for step in entry.get("steps", ()):
        if corrections := _listed(step.get("value")):
            yield step.get("stands_at") or step["step_id"], step.get("state", ""), corrections
    of_whole: dict[str, list[Any]] = {}
    for one in _listed(entry.get("value")):
        step_id = one.get("step_id") if isinstance(one, dict) else None
        of_whole.setdefault(str(step_id or ""), []).append(one)
    for step_id, corrections in of_whole.items():
        yield step_id, "whole", corrections


def _example(step: Json, corrections: Sequence[Any], fates: Counter[str]) -> Example | None:
    """Return a step's output with all corrections applied; ``None`` if none could be."""
    text = step.get("output", "")
    rejected = as_messages(text, "assistant")
    chosen: Sequence[Json] = rejected
    reasons = []
    for one in corrections:
        fate, result = apply(step, chosen, text, one)
        fates[fate] += 1
        if result is not None:
            chosen = result
            reasons.append(one.get("reason"))
    if not reasons:
        return None
    texts = [reason for reason in reasons if isinstance(reason, str) and reason]
    about = {"reason": "\n".join(texts)} if texts else {}
    return Example(as_messages(step.get("input", ""), "user"), chosen, rejected, about)


def _steps(document: Json | None) -> dict[str, Json]:
    return {step.id: step.json for step in Document(document or {}).steps}


def _listed(value: object) -> list[Any]:
    corrections = value.get("corrections") if isinstance(value, dict) else None
    return corrections if isinstance(corrections, list) else []
