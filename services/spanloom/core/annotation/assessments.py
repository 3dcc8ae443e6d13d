"""Splits exported entries into assessments, for formats without entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.model.annotation import MARK_FIELDS, WHOLE, Assessment, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.annotation import Fact

    Json = dict[str, Any]  # a JSON object

_OF_RUN = ("origin", "version", "score", "score_complete")


def assessments_of(entry: Json) -> Iterator[Assessment]:
    """Yield the assessments of one annotator on one run: of the run, then of its steps in order.

    Assessments of vanished steps keep the old id, which the document does not have any more.
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
    """Yield an assessment per annotated place, at its current position; else with its quote.

    Places of a whole-run scheme name their steps.
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
    """Return the members of these names whose value is a non-empty text, a number or a flag."""
    pairs = ((name, values.get(name)) for name in names)
    return {n: value for n, value in pairs if isinstance(value, str | int | float) and value != ""}
