"""Annotated runs in formats of others: training examples, Invariant, Snorkel."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain, count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.assessments import assessments_of
from spanloom.core.annotation.corrections import Fate, examples_of
from spanloom.core.formats.invariant import invariant_lines
from spanloom.core.formats.snorkel import snorkel_trace
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from spanloom.core.ports.reading import TrajectoryReader


if TYPE_CHECKING:
    Json = dict[str, Any]  # as JSON gives and takes it


class Form(StrEnum):
    """What the lines of an export are."""

    JSONL = "jsonl"
    """What one annotator says of one run."""
    SFT = "sft"
    """`{messages}`: up to a corrected answer."""
    DPO = "dpo"
    """`{prompt, chosen, rejected}`: a corrected answer and the original."""
    INVARIANT = "invariant"
    """`{index, messages, annotations, metadata}`: an agent of a run, for Invariant Explorer."""
    SNORKEL = "snorkel"
    """A run as a trace of Snorkel, what was said in the metadata of its steps."""


def in_form(
    store: TrajectoryReader, entries: Iterable[Json], form: Form, fates: Counter[str]
) -> Iterator[Json]:
    """Yield entries in a form; of examples counts in ``fates`` what became of corrections.

    One run is held at a time; of examples it is read only if something of it was corrected.
    """
    if form is Form.JSONL:
        yield from entries
        return
    if form in (Form.INVARIANT, Form.SNORKEL):
        yield from _runs(store, entries, form)
        return
    fates.update(dict.fromkeys(map(str, Fate), 0))
    wanted = (entry for entry in entries if b'"corrections"' in orjson.dumps(entry))
    for document, of_run in _by_run(store, wanted):
        for entry in of_run:
            for example in examples_of(document, entry, fates):
                yield example.as_sft() if form is Form.SFT else example.as_dpo()


def _runs(store: TrajectoryReader, entries: Iterable[Json], form: Form) -> Iterator[Json]:
    """Yield runs that something was said of, as long as they are stored."""
    index = count()
    for document, of_run in _by_run(store, entries):
        if document is None:
            continue
        assessments = chain.from_iterable(map(assessments_of, of_run))
        if form is Form.SNORKEL:
            yield snorkel_trace(document, assessments)
        else:
            yield from ({"index": next(index), **x} for x in invariant_lines(document, assessments))


def _by_run(
    store: TrajectoryReader, entries: Iterable[Json]
) -> Iterator[tuple[Json | None, Iterator[Json]]]:
    """Yield runs with their entries; the document is ``None`` if it is not stored any more."""
    for (project, trace_id), of_run in groupby(entries, itemgetter("project", "trace_id")):
        text = store.document(trace_id, Reach.only(project))
        yield (orjson.loads(text) if text else None), of_run
