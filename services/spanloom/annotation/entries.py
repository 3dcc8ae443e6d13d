"""Converts annotations to entries and lines of export files, and imported entries to writes.

An entry is a JSON object with all annotations of one annotator on one run, by one scheme.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import chain, count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.annotation.requests import Session, Write
from spanloom.core.annotation.examples import Fate, assessments_of, examples_of
from spanloom.core.annotation.marks import find_problems, plain
from spanloom.core.annotation.potato.entries import read_mark, read_steps
from spanloom.core.exchange.invariant.writer import invariant_lines
from spanloom.core.exchange.snorkel.writing import snorkel_trace
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import MARK_FIELDS, WHOLE, Mark
from spanloom.core.records.annotation import AnnotationItem

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.annotation.reading import ResolvedAnnotation
    from spanloom.core.annotation.anchors import Anchors
    from spanloom.core.annotation.examples import Example
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Annotation, Assessment
    from spanloom.core.ports.reading import DocumentReader

    Json = dict[str, Any]  # a JSON object


OURS = frozenset(
    {"revision", "at", "state", "standing", "version", "stands_at", "reason", "places"}
)
"""Keys of a step in an entry that describe the stored row, not the annotation's content."""


class RefusedEntryError(ValueError):
    """An entry cannot be imported; the message gives the reason."""


def write_row(annotation: Annotation) -> Json:
    """Return an annotation as JSON, without its state.

    It is a dict instead of a model, because there may be very many.
    """
    return AnnotationItem.row_of(
        annotation, penalty=plain(annotation.penalty), value=dict(annotation.mark.value)
    )


def write_step(row: ResolvedAnnotation, places: dict[str, int]) -> Json:
    """Return a row as a step of an entry; ``places`` has the index of each step id."""
    annotation, standing = row.annotation, row.standing
    shown: Json = {"step_id": annotation.slot.step_id, **texts_of(annotation.mark)}
    if (at := places.get(standing.step_id)) is not None:
        shown["step_index"] = at
    if annotation.mark.value:
        shown["value"] = dict(annotation.mark.value)
    if row.places:
        shown["places"] = plain_places(row)
    return {
        **shown,
        "revision": annotation.revision,
        "at": str(annotation.at_us // 1_000),
        "version": annotation.anchor.version,
        "state": standing.state.value,
        "stands_at": standing.step_id,
    }


def plain_places(row: ResolvedAnnotation) -> list[Sequence[int] | None]:
    """Return the current bounds of a row's text ranges as JSON lists; ``None`` if not found."""
    return [None if bounds is None else [*bounds] for bounds in row.places]


def texts_of(mark: Mark) -> Json:
    """Return the non-empty text fields of a ``Mark``."""
    return {name: getattr(mark, name) for name in MARK_FIELDS if getattr(mark, name)}


def marks_of(entry: Json, anchors: Anchors) -> Iterator[tuple[str, Mark]]:
    """Yield each ``Mark`` of an entry with its step id; raises ``RefusedEntryError``."""
    indexed = list(read_steps(entry))
    judged, steps = anchors.judged, entry.get("steps") or []
    count = entry.get("n_steps", len(steps) if isinstance(steps, list) else 0)
    for at, step in indexed:
        step_id = step.get("step_id")
        if step_id is None:
            if count != len(judged):
                why = f"it has {count} steps and the trajectory {len(judged)}"
                raise RefusedEntryError(f"{why}, and they are not named by step_id")
            if not 0 <= at < len(judged):
                raise RefusedEntryError(f"there is no step {at}")
            step_id = judged[at]
        if not isinstance(step_id, str) or step_id not in anchors.by_id:
            raise RefusedEntryError(f"the trajectory has no step {step_id!r}")
        yield step_id, read_mark(step, OURS)
    whole = entry.get("value")
    if isinstance(whole, dict) and whole:
        yield WHOLE, read_mark(whole)


def as_write(session: Session, step_id: str, mark: Mark) -> Write:
    """Return a write of ``mark``; its id is a content hash, so that repeats are recognised."""
    edit = {**{name: getattr(mark, name) for name in MARK_FIELDS}, "value": dict(mark.value)}
    content = orjson.dumps(
        [session.scheme.name, session.annotator, step_id, edit], option=orjson.OPT_SORT_KEYS
    )
    return Write(step_id, f"import-{blake2b(content, digest_size=16).hexdigest()}", edit)


def is_stored(held: Mark | None, mark: Mark) -> bool:
    """Return whether ``held`` has all fields of ``mark``; its ``value`` may have more keys."""
    if held is None or any(getattr(held, name) != getattr(mark, name) for name in MARK_FIELDS):
        return False
    return all(held.value.get(key) == value for key, value in mark.value.items())


def flags_of(scheme: Scheme, marks: dict[str, Mark]) -> Sequence[str]:
    """Return a message for each field in ``marks`` that the scheme does not allow."""
    return [
        f"step {step_id or '(whole)'}: {field}: {reason}"
        for step_id, mark in marks.items()
        for field, reason in find_problems(mark, {**mark._asdict()}, scheme)
    ]


LineWriter: TypeAlias = "Callable[[DocumentReader, Iterable[Json], Counter[str]], Iterator[Json]]"
"""Yields the lines of an export file for entries, with one run in memory at a time.

Writers of corrected answers count the corrections per result (``Fate``).
"""


def entry_lines(
    _documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield the entries unchanged."""
    yield from entries


def sft_lines(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Json]:
    """Yield corrected answers, each with the messages before it."""
    return (example.as_sft() for example in _examples(documents, entries, fates))


def dpo_lines(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Json]:
    """Yield corrected answers, each with the original answer."""
    return (example.as_dpo() for example in _examples(documents, entries, fates))


def invariant_runs(
    documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield a line in the format of Invariant for each agent of the annotated runs."""
    index = count()
    for document, assessments in _annotated(documents, entries):
        yield from ({"index": next(index), **x} for x in invariant_lines(document, assessments))


def snorkel_runs(
    documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield annotated runs as traces in the format of Snorkel."""
    for document, assessments in _annotated(documents, entries):
        yield snorkel_trace(document, assessments)


def _examples(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Example]:
    """Yield corrections as examples; a run is read only if it has corrections."""
    fates.update(dict.fromkeys(map(str, Fate), 0))
    wanted = (entry for entry in entries if b'"corrections"' in orjson.dumps(entry))
    for document, of_run in _by_run(documents, wanted):
        for entry in of_run:
            yield from examples_of(document, entry, fates)


def _annotated(
    documents: DocumentReader, entries: Iterable[Json]
) -> Iterator[tuple[Json, Iterable[Assessment]]]:
    """Yield annotated runs with their assessments; runs that are no longer stored are skipped."""
    for document, of_run in _by_run(documents, entries):
        if document is not None:
            yield document, chain.from_iterable(map(assessments_of, of_run))


def _by_run(
    documents: DocumentReader, entries: Iterable[Json]
) -> Iterator[tuple[Json | None, Iterator[Json]]]:
    """Yield runs with their entries; the document is ``None`` if it is not stored any more."""
    for (project, trace_id), of_run in groupby(entries, itemgetter("project", "trace_id")):
        text = documents.get(trace_id, Reach.only(project))
        yield (orjson.loads(text) if text else None), of_run
