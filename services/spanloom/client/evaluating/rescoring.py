"""Judges runs again whose scores are stale, or were made by another version of an evaluator."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.client.evaluating.given import Unread
from spanloom.client.evaluating.sending import row_of
from spanloom.client.evaluating.stored import RunPlace
from spanloom.client.transfer.score_rows import PlacedRow
from spanloom.core.model.score import EVALUATORS, FAULTS
from spanloom.core.model.span import TraceKey
from spanloom.evaluation.contract.view import named_fingerprint, view_named_in
from spanloom.evaluation.subject.run import Run
from spanloom.judging.judging import judge_run
from spanloom.judging.scores import scores_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.client.evaluating.given import Given
    from spanloom.core.records.score import ScoreItem
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.files.items import Items
    from spanloom.evaluation.files.judging import RunToJudge


class Place(NamedTuple):
    """The fields that are equal in all scores from one judgement of a run."""

    project: str
    trace_id: str
    experiment: str
    item: str
    repeat: int
    rule_id: str


@dataclass
class Due:
    """The scores from one judgement of a run, and the evaluators that have to run again."""

    values: dict[str, float | bool | str | None] = field(default_factory=dict)
    """Values by score name, for conditions on scores."""
    again: set[str] = field(default_factory=set)
    """Names of evaluators to run again."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of scores by the reason to judge again."""
    unknown: list[ScoreItem] = field(default_factory=list)
    """Scores for which the document must be read to decide."""


class RescoreQuery(NamedTuple):
    """Which scores to check."""

    evaluators: Mapping[str, Evaluator]
    """All evaluators in the file, keyed by name; conditions may read the scores by any of them."""
    names: Sequence[str]
    """Names of the evaluators that may judge again."""
    items: Items
    project: str | None = None
    experiment: str | None = None
    with_errors: bool = False
    """Whether failed and skipped judgements are repeated too."""


class Rescoring:
    """Finds scores, reads their runs, judges these again if needed, and yields the new scores."""

    def __init__(self, query: RescoreQuery) -> None:
        """Start without scores."""
        self.counts: Counter[str] = Counter()
        """Number of scores by reason: ``fresh``, ``stale``, ``other_version``, ``failed``, and so
        on.
        """
        self.runs = 0
        self._query = query
        self._found: defaultdict[Place, Due] = defaultdict(Due)

    def find(self, client: Client) -> None:
        """Read the scores of the evaluators; raises ``ClientError``."""
        for name in self._query.evaluators:
            rows = client.scores(
                author=name,
                sources=EVALUATORS,
                target="trajectory",
                experiment=self._query.experiment,
                project=self._query.project,
            )
            for row in rows:
                self._sort(row, self._query.evaluators[name])

    def places(self) -> Sequence[RunPlace]:
        """Return the runs to read, each once."""
        wanted = [at for at, due in self._found.items() if due.again or due.unknown]
        return list(dict.fromkeys(RunPlace(at.trace_id, at.project) for at in wanted))

    def judged(self, runs: Iterable[Given], *, is_dry: bool = False) -> Iterator[PlacedRow]:
        """Judge runs again and yield their scores; if ``is_dry``, only count."""
        by_run: defaultdict[RunPlace, list[Place]] = defaultdict(list)
        for at in self._found:
            by_run[RunPlace(at.trace_id, at.project)].append(at)
        waiting = set(self.places())
        for given in runs:
            if isinstance(given.run, Unread):
                continue
            place = RunPlace(given.run.trace_id, given.run.project)
            waiting.discard(place)
            made = [self._again(at, given.run, is_dry=is_dry) for at in by_run[place]]
            self.runs += any(is_repeated for is_repeated, _ in made)
            for _, rows in made:
                yield from rows
        for place in waiting:
            for at in by_run[place]:
                due = self._found[at]
                self.counts["gone"] += due.reasons.total() + len(due.unknown)

    def _sort(self, row: ScoreItem, evaluator: Evaluator) -> None:
        at = Place(
            *(row.project, row.trace_id, row.experiment, row.item, row.repeat, row.rule_id),
        )
        is_of_item = row.item not in ("", row.trace_id)
        if is_of_item and self._query.items.find(row.item) is None:
            self.counts["no_item"] += evaluator.name in self._query.names
            return
        due = self._found[at]
        due.values[row.name] = row.value
        if evaluator.name not in self._query.names:
            return
        if (reason := self._reason(row, evaluator)) is None:
            due.unknown.append(row)
            return
        if reason == "fresh":
            self.counts[reason] += 1
        else:
            due.reasons[reason] += 1
            due.again.add(evaluator.name)

    def _reason(self, row: ScoreItem, evaluator: Evaluator) -> str | None:
        """Return why a score has to be replaced, or ``fresh``; ``None`` if the document decides."""
        made_by = row.evaluator_version, row.config_hash
        if made_by != (evaluator.judging.version, evaluator.config_hash):
            return "other_version"
        if self._query.with_errors and row.status in FAULTS:
            return "failed"
        return None if row.stale is None else "stale" if row.stale else "fresh"

    def _again(
        self, at: Place, run: RunToJudge, *, is_dry: bool
    ) -> tuple[bool, Sequence[PlacedRow]]:
        due = self._found[at]
        self.counts += due.reasons
        again = due.again | {row.author for row in self._stale(due.unknown, run)}
        if is_dry or not again:
            return bool(again), ()
        evaluators = [one for name, one in self._query.evaluators.items() if name in again]
        others = {name: value for name, value in due.values.items() if value is not None}
        item = self._query.items.find(at.item)
        judged = judge_run(
            run.document, evaluators, expected=item.expected if item else None, scores=others
        )
        scores = scores_of(
            judged,
            TraceKey(at.project, at.trace_id),
            run.version,
            experiment=at.experiment,
            item=at.item,
            repeat=at.repeat,
            rule_id=at.rule_id,
        )
        return True, [PlacedRow(f"{at.trace_id}, {one.name}", row_of(one)) for one in scores]

    def _stale(self, rows: Sequence[ScoreItem], run: RunToJudge) -> Iterator[ScoreItem]:
        """Yield the scores that were based on contents which have changed in the document."""
        read: dict[str, Any] = {}
        for row in rows:
            is_stale = _is_stale(row, run, read)
            self.counts["stale" if is_stale else "fresh"] += 1
            if is_stale:
                yield row


def _is_stale(row: ScoreItem, run: RunToJudge, read: dict[str, Any]) -> bool:
    """Return whether the judged contents have changed; ``read`` caches run and fingerprints."""
    if (view := view_named_in(row.view_fingerprint)) is None or row.judged_version == run.version:
        return row.judged_version != run.version
    key = ",".join(sorted(view))
    try:
        document = read.setdefault("run", Run(run.document)).document
        current = read.setdefault(key, named_fingerprint(document, view))
    except Exception:  # no evaluator can read the document: the new scores have the error
        return True
    return bool(current != row.view_fingerprint)
