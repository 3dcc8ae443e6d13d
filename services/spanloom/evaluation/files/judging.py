"""Judges runs one after the other, and holds their results as rows of a report.

No document stays in memory, only the JSON of the results of a run, and, if it failed, excerpts of
the steps in its evidence.
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
from spanloom.evaluation.files.excerpts import excerpts_of
from spanloom.evaluation.files.items import Items
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
"""The key in the metadata of a run that holds the key of its item."""


class RunToJudge(NamedTuple):
    """A run to judge."""

    document: Json
    project: str
    trace_id: str
    version: int
    started_at: int
    """Milliseconds since the epoch; repeats of an item are in this order."""
    item_key: str
    """The key of the run's item, from the run's metadata; empty if it has none."""


def run_to_judge(document: Json, project: str = "") -> RunToJudge:
    """Return a canonical document as a run; ``project`` is used if the document names none."""
    view = Document(document)
    extraction = view.extraction
    key = extraction.metadata.get(ITEM_KEY)
    return RunToJudge(
        document=document,
        project=str(extraction.project) or project,
        trace_id=view.id,
        version=extraction.version,
        started_at=view.root.started_at,
        item_key=key if isinstance(key, str) else "",
    )


class Row(NamedTuple):
    """A result with its position in a report, and excerpts of the steps in its evidence."""

    result: Mapping[str, Any]  # JSON values
    excerpts: Sequence[str]
    view_fingerprint: str = ""
    """Fingerprint of the evaluator's view; empty unless ``has_fingerprints`` is set."""


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
    excerpts: Mapping[int, Sequence[str]]
    """Excerpts of evidence, keyed by the position of the result in the list."""
    fingerprints: Mapping[str, str]
    """Fingerprints of views, keyed by evaluator."""

    @property
    def place(self) -> tuple[str, int, str, str]:
        return self.item, self.started_at, self.trace_id, self.project


@dataclass
class Judgement:
    """The results of all runs judged so far."""

    evaluators: Sequence[Evaluator]
    items: Items = field(default_factory=Items)
    has_fingerprints: bool = False
    """Whether rows have the fingerprints of views, which scores need."""
    runs: int = 0
    """The number of distinct runs."""
    _judged: dict[tuple[str, str, str], _Judged] = field(default_factory=dict)
    """Results, keyed by item, project and trace id; the newest version of a run counts."""
    _traces: set[tuple[str, str]] = field(default_factory=set)

    def take(self, run: RunToJudge, of: Item | None = None) -> None:
        """Judge a run for each of its items, or only for the item ``of``.

        A run without an item is judged without a reference.
        """
        self._traces.add((run.project, run.trace_id))
        self.runs = len(self._traces)
        read = Run(run.document)
        expectations = self._expectations(run) if of is None else [(of.item_key, of.expected)]
        for item, expected in expectations:
            self._keep(run, item, list(judge(Subject(read, expected), self.evaluators)), read)

    def estimate(self, run: RunToJudge) -> Estimate:
        """Return the estimated cost of judging a run; zero if it cannot be read."""
        costly = [one.judging.estimate for one in self.evaluators if one.judging.estimate]
        if not costly:
            return total(())
        read = Run(run.document)
        subjects = [Subject(read, expected) for _, expected in self._expectations(run)]
        try:
            return total([estimate(subject) for subject in subjects for estimate in costly])
        except Exception:  # it becomes an error of each evaluator, without a call
            return total(())

    def _expectations(self, run: RunToJudge) -> Sequence[tuple[str, Any]]:  # pairs (key, expected)
        found = self.items.of(run.trace_id, run.item_key)
        return [(item.item_key, item.expected) for item in found] or [(run.trace_id, None)]

    def refuse(self, item: str, code: ErrorCode, reason: str, repeat: int = 0) -> None:
        """Record, for each score, an error for an item that has no run to judge.

        ``repeat`` is the number of the repeat that produced no run.
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
        """Record errors for the items without a run."""
        for item in self.items.without(key for key, _, _ in self._judged):
            reason = f"no run belongs to the item {item.item_key}"
            self.refuse(item.item_key, ErrorCode.MISSING_RUN, reason)

    @property
    def item_count(self) -> int:
        """The number of items with results; a run without an item counts as one."""
        return len({item for item, _, _ in self._judged})

    def rows(self) -> Iterator[Row]:
        """Yield all results, sorted by item, repeat and evaluator."""
        by_place = sorted(self._judged.values(), key=attrgetter("place"))
        for item, several in groupby(by_place, key=attrgetter("item")):
            for repeat, judged in enumerate(several):
                yield from _rows_of(judged, item, repeat)

    def _keep(self, run: RunToJudge, item: str, results: Sequence[Result], read: Run) -> None:
        place = item, run.started_at, run.trace_id, run.project, run.version
        made = _Judged(*place, _dumped(results), {}, {})
        before = self._judged.get((item, run.project, run.trace_id))
        if before and (before.version, before.results) >= (made.version, made.results):
            return
        made.excerpts = _excerpts(results, read)
        if self.has_fingerprints:
            made.fingerprints = fingerprints(read, self.evaluators)
        self._judged[item, run.project, run.trace_id] = made


def _dumped(results: Sequence[Result]) -> bytes:
    return dump([result.to_json() for result in results])


def _excerpts(results: Sequence[Result], run: Run) -> Mapping[int, Sequence[str]]:
    """Return excerpts of evidence for the results that did not pass."""
    bad = {at: one for at, one in enumerate(results) if one.evidence and one.passed is not True}
    try:
        steps = run.document.by_id() if bad else {}
    except Exception:  # an unreadable document is an error of each evaluator
        return {}
    return {at: list(excerpts_of(one.evidence, steps)) for at, one in bad.items()}


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
        yield Row({**result, **place}, judged.excerpts.get(at, ()), fingerprint)
