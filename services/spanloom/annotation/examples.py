"""Writers of annotations as lines: entries, training examples, runs for Invariant and Snorkel."""

from __future__ import annotations

from itertools import chain, count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.annotation.examples import Fate, assessments_of, examples_of
from spanloom.core.formats.invariant import invariant_lines
from spanloom.core.formats.snorkel import snorkel_trace
from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from spanloom.core.annotation.examples import Example
    from spanloom.core.model.annotation import Assessment
    from spanloom.core.ports.reading import DocumentReader


if TYPE_CHECKING:
    Json = dict[str, Any]  # as JSON gives and takes it


LineWriter: TypeAlias = "Callable[[DocumentReader, Iterable[Json], Counter[str]], Iterator[Json]]"
"""Makes lines of entries. It counts in the counter what became of corrections, if it writes them.

One run is held at a time.
"""


def entry_lines(
    _documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield entries as they are: what one annotator says of one run."""
    yield from entries


def sft_lines(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Json]:
    """Yield corrected answers, each with the messages before it."""
    return (example.as_sft() for example in _examples(documents, entries, fates))


def dpo_lines(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Json]:
    """Yield corrected answers and the original ones."""
    return (example.as_dpo() for example in _examples(documents, entries, fates))


def invariant_runs(
    documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield a line for each agent of the annotated runs."""
    index = count()
    for document, assessments in _annotated(documents, entries):
        yield from ({"index": next(index), **x} for x in invariant_lines(document, assessments))


def snorkel_runs(
    documents: DocumentReader, entries: Iterable[Json], _fates: Counter[str]
) -> Iterator[Json]:
    """Yield annotated runs as traces of Snorkel."""
    for document, assessments in _annotated(documents, entries):
        yield snorkel_trace(document, assessments)


def _examples(
    documents: DocumentReader, entries: Iterable[Json], fates: Counter[str]
) -> Iterator[Example]:
    """Yield corrections as examples; a run is read only if something of it was corrected."""
    fates.update(dict.fromkeys(map(str, Fate), 0))
    wanted = (entry for entry in entries if b'"corrections"' in orjson.dumps(entry))
    for document, of_run in _by_run(documents, wanted):
        for entry in of_run:
            yield from examples_of(document, entry, fates)


def _annotated(
    documents: DocumentReader, entries: Iterable[Json]
) -> Iterator[tuple[Json, Iterable[Assessment]]]:
    """Yield annotated runs with their assessments, as long as the runs are stored."""
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
