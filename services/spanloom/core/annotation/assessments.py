"""What exported entries say, assessment by assessment: for formats that have no entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.model.annotation import MARK_FIELDS, WHOLE
from spanloom.core.model.assessment import Assessment, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.assessment import Fact

    Json = dict[str, Any]  # as JSON gives and takes it

_OF_RUN = ("origin", "version", "score", "score_complete")


def assessments_of(entry: Json) -> Iterator[Assessment]:
    """Yield the assessments of one annotator on one run: of the run, then of its steps in order.

    A step that has gone keeps its id: whoever writes assessments down finds no such step.
    """
    whole = entry.get("value") or {}
    yield _assessment(
        entry, WHOLE, {**_told(entry, _OF_RUN), **_told(whole, (*MARK_FIELDS, *whole))}
    )
    for step in entry.get("steps", ()):
        step_id = step.get("stands_at") or step["step_id"]
        said = _told(step, (*MARK_FIELDS, "state"))
        yield _assessment(entry, step_id, said)
        yield from _placed(entry, step_id, step)
    yield from _placed(entry, WHOLE, entry)


def _placed(entry: Json, step_id: str, said: Json) -> Iterator[Assessment]:
    """Yield what is said of places, where they stand now; one that does not keeps its words.

    Those of a scheme of the whole run name their steps.
    """
    spans = (said.get("value") or {}).get("spans")
    found = spans if isinstance(spans, list) else []
    listed = [one if isinstance(one, dict) else {} for one in found]
    now = said.get("places") or [(one.get("start"), one.get("end")) for one in listed]
    for one, bounds in zip(listed, now, strict=True):
        if not one:
            continue
        place = _place(one, bounds)
        names = [name for name in one if name not in {*Place._fields, "text", "step_id"}]
        facts = {**_told(one, names), **({} if place else {"quote": str(one.get("text", ""))})}
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


def _told(said: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Fact]:
    """Return what is said in one word, number or text."""
    found = ((name, said.get(name)) for name in names)
    return {n: value for n, value in found if isinstance(value, str | int | float) and value != ""}
