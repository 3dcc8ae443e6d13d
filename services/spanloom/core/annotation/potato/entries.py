"""Converts annotation entries to the answers that Potato stores for an item, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.marks import Score, plain
from spanloom.core.model.annotation import MARK_FIELDS, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


if TYPE_CHECKING:
    Json = dict[str, Any]  # a JSON object


def write_answer(marks: Mapping[str, Mark], steps: Sequence[str], score: Score) -> Json:
    """Return one annotator's answer in Potato's form; ``steps``: step ids in the item's order."""
    return {
        "steps": [_step(at, marks.get(step_id)) for at, step_id in enumerate(steps)],
        "score": plain(score.value) if score.is_complete else None,
        "score_complete": score.is_complete,
    }


def read_steps(answer: Json) -> Iterator[tuple[int, Json]]:
    """Yield (index from 0, step) for each judged step in an answer.

    Steps that are ``null``, missing, or without any field of ``Mark`` are left out.
    """
    steps = answer.get("steps")
    for at, step in enumerate(steps if isinstance(steps, list) else []):
        if isinstance(step, dict):
            index = step.get("step_index", at)
            if isinstance(index, int) and any(step.get(name) for name in MARK_FIELDS):
                yield index, step


def read_mark(step: Json, known: frozenset[str] = frozenset()) -> Mark:
    """Convert a step in an answer to a ``Mark``; its ``value`` gets the keys not in ``known``."""
    texts: dict[str, Any] = {name: str(step.get(name) or "") for name in MARK_FIELDS}
    apart = {"step_index", "step_id", "value", *MARK_FIELDS, *known}
    more = {key: value for key, value in step.items() if key not in apart and value is not None}
    value = step.get("value")
    return Mark(**texts, value={**more, **(value if isinstance(value, dict) else {})})


def _step(at: int, mark: Mark | None) -> Json:
    if mark is None or not mark.correctness:
        return {"step_index": at, "correctness": None}
    texts = {name: getattr(mark, name) for name in MARK_FIELDS if getattr(mark, name)}
    return {"step_index": at, **texts, **mark.value}


_OF_ANSWER = ("steps", "score", "score_complete")
_OURS = frozenset({"revision", "at", "state", "version", "stands_at", "reason"})


def answers_by_user(
    entries: Iterable[Json], order: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, dict[str, Json]]]:
    """Return answers, keyed by annotator, item and scheme; ``order`` has each item's step ids."""
    answers: dict[str, dict[str, dict[str, Json]]] = {}
    for entry in entries:
        trace_id = entry["trace_id"]
        if trace_id in order:
            of_user = answers.setdefault(entry["annotator"], {})
            of_user.setdefault(trace_id, {})[entry["scheme"]] = _answer(entry, order[trace_id])
    return answers


def entry_of(record: Json, order: Sequence[str] | None) -> Json:
    """Convert a record from ``read_file`` to an entry.

    ``order`` has the step ids of the item; if it is ``None``, steps have only their index.
    """
    answer = record["answer"]
    entry: Json = {
        "trace_id": record["item"],
        "scheme": record["scheme"],
        "annotator": record["annotator"],
    }
    if not isinstance(answer.get("steps"), list):
        decisive = answer.get("decisive_step")
        if order and isinstance(decisive, int) and 0 <= decisive < len(order):
            answer = {**answer, "decisive_step": order[decisive]}
        return {**entry, "value": answer}
    steps = [{**step, "step_index": at} for at, step in read_steps(answer)]
    if order and all(0 <= step["step_index"] < len(order) for step in steps):
        steps = [{**step, "step_id": order[step["step_index"]]} for step in steps]
    rest = {key: value for key, value in answer.items() if key not in _OF_ANSWER}
    whole = {"value": rest} if rest else {}
    return {**entry, "n_steps": len(answer["steps"]), "steps": steps, **whole}


def steps_of_items(text: bytes) -> Mapping[str, Sequence[str]]:
    """Read an items file; return step ids, keyed by item, of items whose steps all have ids."""
    items = orjson.loads(text) if text.lstrip()[:1] == b"[" else _lines(text)
    by_item = {str(i["id"]): [s.get("step_id") for s in i.get("steps", ())] for i in items}
    return {item: steps for item, steps in by_item.items() if all(steps)}


def _answer(entry: Json, order: Sequence[str]) -> Json:
    """Return an entry as an answer, with moved steps at their current position."""
    if "score" not in entry and entry.get("value"):
        whole = {k: v for k, v in entry["value"].items() if k not in MARK_FIELDS}
        decisive = whole.get("decisive_step")
        return {**whole, "decisive_step": order.index(decisive)} if decisive in order else whole
    kept = [step for step in entry["steps"] if step.get("state") in ("valid", "moved", None)]
    marks = {step.get("stands_at") or step["step_id"]: read_mark(step, _OURS) for step in kept}
    is_complete = bool(entry.get("score_complete"))
    return write_answer(marks, order, Score(entry.get("score") or 0, is_complete, 0, 0))


def _lines(text: bytes) -> list[Json]:
    return [orjson.loads(line) for line in text.splitlines() if line.strip()]
