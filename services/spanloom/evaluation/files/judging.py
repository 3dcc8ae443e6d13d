"""Judges runs one after the other, and keeps their results as rows of a report.

No document stays in memory: a run becomes the JSON of its results, and what the steps of evidence
show where it failed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.document import Document
from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.estimate import total
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.evaluate import fingerprints, judge
from spanloom.evaluation.files.items import Items
from spanloom.evaluation.files.shown import show_evidence
from spanloom.evaluation.subject.run import Run
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.evaluation.contract.estimate import Estimate
    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.files.items import Item

ITEM_KEY = "item_key"
"""In the metadata of a run: the key of its item."""


class GivenRun(NamedTuple):
    """A run to judge."""

    document: Json
    project: str
    trace_id: str
    version: int
    started_at: int
    """Milliseconds since the epoch; repeats of an item are in this order."""
    item_key: str
    """What it says of its item; empty if it says nothing."""


def given_run(document: Json, project: str = "") -> GivenRun:
    """Return the run of a canonical document, in ``project`` if it names none."""
    view = Document(document)
    told = view.extraction
    metadata = told.get("metadata")
    key = metadata.get(ITEM_KEY) if isinstance(metadata, dict) else None
    version = told.get("version")
    return GivenRun(
        document=document,
        project=str(told.get("project") or "") or project,
        trace_id=view.id,
        version=version if isinstance(version, int) else 0,
        started_at=view.root.started_at,
        item_key=key if isinstance(key, str) else "",
    )


class Row(NamedTuple):
    """A result with its place in a report, and what its evidence shows."""

    result: Mapping[str, Any]  # JSON values
    shown: Sequence[str]
    view_fingerprint: str = ""
    """Of what its evaluator read; only of a judgement that has them."""


@dataclass(slots=True)
class _Judged:
    """The results of one run for one item."""

    item: str
    started_at: int
    trace_id: str
    project: str
    version: int
    results: bytes
    """A list of results as JSON."""
    shown: Mapping[int, Sequence[str]]
    """What evidence shows, by the place of the result in the list."""
    fingerprints: Mapping[str, str]
    """Of what was read, by evaluator."""

    @property
    def place(self) -> tuple[str, int, str, str]:
        return self.item, self.started_at, self.trace_id, self.project


@dataclass
class Judgement:
    """The results of all runs that were judged so far."""

    evaluators: Sequence[Evaluator]
    items: Items = field(default_factory=Items)
    has_fingerprints: bool = False
    """Whether rows have the fingerprints of what was read: for scores."""
    runs: int = 0
    """Runs that were read, each once."""
    _judged: dict[tuple[str, str, str], _Judged] = field(default_factory=dict)
    """By item, project and trace id: of a run that comes twice the newest version counts."""
    _traces: set[tuple[str, str]] = field(default_factory=set)

    def take(self, run: GivenRun, of: Item | None = None) -> None:
        """Judge a run for each of its items, or for the one that it is known to be ``of``.

        One of none is judged without a reference.
        """
        self._traces.add((run.project, run.trace_id))
        self.runs = len(self._traces)
        read = Run(run.document)
        wanted = self._wanted(run) if of is None else [(of.item_key, of.expected)]
        for item, expected in wanted:
            self._keep(run, item, list(judge(Subject(read, expected), self.evaluators)), read)

    def estimate(self, run: GivenRun) -> Estimate:
        """Return what judging a run would take; nothing of one that cannot be read."""
        costly = [one.judging.estimate for one in self.evaluators if one.judging.estimate]
        if not costly:
            return total(())
        read = Run(run.document)
        subjects = [Subject(read, expected) for _, expected in self._wanted(run)]
        try:
            return total([estimate(subject) for subject in subjects for estimate in costly])
        except Exception:  # it becomes an error of each evaluator, without a call
            return total(())

    def _wanted(self, run: GivenRun) -> Sequence[tuple[str, Any]]:  # with what is expected
        found = self.items.of(run.trace_id, run.item_key)
        return [(item.item_key, item.expected) for item in found] or [(run.trace_id, None)]

    def refuse(self, item: str, code: ErrorCode, reason: str, repeat: int = 0) -> None:
        """Note an item without a run that can be judged: an error of each of its scores.

        ``repeat`` is the try that gave none.
        """
        errors = [
            Results(one.name, one.kind).error(code, reason, name=score)
            for one in self.evaluators
            for score in one.judging.scores
        ]
        self._judged[item, "", str(repeat or "")] = _Judged(
            item, 0, "", "", 0, _dumped(errors), {}, {}
        )

    def finish(self) -> None:
        """Note the items without a run."""
        for item in self.items.without(key for key, _, _ in self._judged):
            reason = f"no run belongs to the item {item.item_key}"
            self.refuse(item.item_key, ErrorCode.MISSING_RUN, reason)

    @property
    def item_count(self) -> int:
        """Items with results, runs of none among them."""
        return len({item for item, _, _ in self._judged})

    def rows(self) -> Iterator[Row]:
        """Yield all results by item, repeat and evaluator."""
        kept = sorted(self._judged.values(), key=attrgetter("place"))
        for item, several in groupby(kept, key=attrgetter("item")):
            for repeat, judged in enumerate(several):
                yield from _rows_of(judged, item, repeat)

    def _keep(self, run: GivenRun, item: str, results: Sequence[Result], read: Run) -> None:
        place = item, run.started_at, run.trace_id, run.project, run.version
        made = _Judged(*place, _dumped(results), {}, {})
        before = self._judged.get((item, run.project, run.trace_id))
        if before and (before.version, before.results) >= (made.version, made.results):
            return
        made.shown = _shown(results, read)
        if self.has_fingerprints:
            made.fingerprints = fingerprints(read, self.evaluators)
        self._judged[item, run.project, run.trace_id] = made


def _dumped(results: Sequence[Result]) -> bytes:
    return dump([result.to_json() for result in results])


def _shown(results: Sequence[Result], run: Run) -> Mapping[int, Sequence[str]]:
    """Return what evidence shows of the results that did not pass."""
    bad = {at: one for at, one in enumerate(results) if one.evidence and one.passed is not True}
    try:
        steps = run.document.by_id() if bad else {}
    except Exception:  # a document that cannot be read is an error of each evaluator
        return {}
    return {at: list(show_evidence(one.evidence, steps)) for at, one in bad.items()}


def _rows_of(judged: _Judged, item: str, repeat: int) -> Iterator[Row]:
    place = {
        "item": item,
        "repeat": repeat,
        "trace_id": judged.trace_id,
        "project": judged.project,
        "version": judged.version,
    }
    for at, result in enumerate(orjson.loads(judged.results)):
        fingerprint = judged.fingerprints.get(result["evaluator"], "")
        yield Row({**result, **place}, judged.shown.get(at, ()), fingerprint)
