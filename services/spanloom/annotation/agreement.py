"""Measures how far annotators agree: over a scheme, the items of a queue, or chosen runs."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.pages import every_annotation
from spanloom.annotation.reading import ResolvedAnnotation, score_now
from spanloom.core.annotation.comparison import Measure, Unit, UnitMark, compare
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import WHOLE, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from spanloom.annotation.reading import Reading
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery, AnnotationStore


MOST_ROWS = 1_000_000
"""Maximum number of annotations read for a comparison."""


class ComparisonQuery(NamedTuple):
    """Selects the annotations to compare."""

    project: str
    scheme: Scheme
    rows: AnnotationQuery
    withheld: Callable[[TraceKey, str], bool]
    traces: Collection[str] | None = None
    """The trace ids of the runs to compare; ``None`` means all."""
    with_changed: bool = False


class Gathered(NamedTuple):
    """The annotations and scores to compare."""

    traces: int
    left_out: int
    """Number of rows that do not count, because their steps have changed or are gone."""
    marks: Sequence[UnitMark]
    scores: Mapping[tuple[str, str], float]
    """The scores, keyed by trace id and annotator."""


class Agreement(NamedTuple):
    """The agreement of annotators over all steps, for each agent, and for each step type."""

    gathered: Gathered
    measures: Sequence[Measure]
    by_agent: Mapping[str, Sequence[Measure]]
    by_step_type: Mapping[str, Sequence[Measure]]


class Agreeing:
    """Measures the agreement of annotators."""

    def __init__(self, annotations: AnnotationStore, versions: Versions, reading: Reading) -> None:
        """Compare annotations from the store; ``reading`` determines their states."""
        self._annotations = annotations
        self._versions = versions
        self._reading = reading

    def agree(self, query: ComparisonQuery) -> Agreement:
        """Return the agreement on the annotations that a query selects."""
        gathered = self.gather(query)
        marks = gathered.marks
        return Agreement(
            gathered,
            measures=compare(query.scheme, marks, gathered.scores),
            by_agent=_by_group(query.scheme, marks, lambda row: row.agent),
            by_step_type=_by_group(query.scheme, marks, lambda row: row.step_type),
        )

    def gather(self, query: ComparisonQuery) -> Gathered:
        """Return the annotations to compare, without adjudications, whose author saw the others."""
        by_trace: dict[TraceKey, list[Annotation]] = defaultdict(list)
        for row in self._rows(query.project, query.rows._replace(scheme=query.scheme.name)):
            key, author = row.slot.key, row.slot.annotator
            matches = query.traces is None or key.trace_id in query.traces
            matches = matches and not row.is_deleted and row.origin is not Origin.ADJUDICATION
            if matches and not query.withheld(key, author):
                by_trace[key].append(row)
        resolved = {key: self._reading.resolve(key, rows) for key, rows in by_trace.items()}
        every = [row for rows in resolved.values() for row in rows]
        kept = [row for row in every if row.counts or query.with_changed]
        scores = self._scores(query.scheme, resolved)
        return Gathered(len(by_trace), len(every) - len(kept), list(map(_unit_mark, kept)), scores)

    def _rows(self, project: str, query: AnnotationQuery) -> Iterable[Annotation]:
        return islice(every_annotation(self._annotations, Reach.only(project), query), MOST_ROWS)

    def _scores(
        self, scheme: Scheme, resolved: Mapping[TraceKey, Sequence[ResolvedAnnotation]]
    ) -> Mapping[tuple[str, str], float]:
        """Return the scores, keyed by trace id and annotator; {} if the scheme has no scores."""
        if not scheme.has_score:
            return {}
        scores = {}
        for key, rows in resolved.items():
            for who in {row.annotation.slot.annotator for row in rows}:
                own = [row for row in rows if row.annotation.slot.annotator == who]
                scores[key.trace_id, who] = score_now(scheme, own, frozenset()).value
        return scores


def _unit_mark(row: ResolvedAnnotation) -> UnitMark:
    slot, anchor = row.annotation.slot, row.annotation.anchor
    step_id = row.standing.step_id or slot.step_id
    unit = Unit(slot.key.trace_id, WHOLE if slot.step_id == WHOLE else step_id)
    of_step = anchor.agent_name, anchor.step_type, anchor.quote
    return UnitMark(unit, slot.annotator, row.annotation.mark, *of_step)


def _by_group(
    scheme: Scheme, marks: Sequence[UnitMark], group_of: Callable[[UnitMark], str]
) -> Mapping[str, Sequence[Measure]]:
    groups: dict[str, list[UnitMark]] = defaultdict(list)
    for row in marks:
        if row.unit.step_id != WHOLE:
            groups[group_of(row)].append(row)
    return {name: compare(scheme, rows, {}, None) for name, rows in sorted(groups.items())}
