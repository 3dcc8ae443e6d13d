"""Agreement over stored annotations: of a scheme, of a queue's items, or of runs."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotation.pages import every_annotation
from spanloom.annotation.reading import Stood, score_now
from spanloom.core.annotation.comparison import Measure, Said, Unit, compare
from spanloom.core.model.annotation import WHOLE, Origin
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from spanloom.annotation.reading import Reading
    from spanloom.annotation.versions import Versions
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery, AnnotationStore


MOST_ROWS = 1_000_000
"""Annotations that are compared at most."""


class Asked(NamedTuple):
    """Whose annotations are compared, and for whom."""

    project: str
    scheme: Scheme
    rows: AnnotationQuery
    withheld: Callable[[TraceKey, str], bool]
    traces: Collection[str] | None = None
    """Of these alone, if any are given."""
    with_changed: bool = False


class Gathered(NamedTuple):
    """What is compared."""

    traces: int
    left_out: int
    """Rows that do not count: their steps say something else now, or have gone."""
    said: Sequence[Said]
    scores: Mapping[tuple[str, str], float]
    """By trace and annotator."""


class Agreement(NamedTuple):
    """How far annotators agree, over all and apart."""

    gathered: Gathered
    measures: Sequence[Measure]
    by_agent: Mapping[str, Sequence[Measure]]
    by_step_type: Mapping[str, Sequence[Measure]]


class Agreeing:
    """Compares what annotators say."""

    def __init__(self, store: AnnotationStore, versions: Versions, reading: Reading) -> None:
        """Take the store, and how its annotations are read."""
        self._store = store
        self._versions = versions
        self._reading = reading

    def agree(self, asked: Asked, seed: int = 0) -> Agreement:
        """Return how far annotators agree."""
        found = self.gather(asked)
        said = found.said
        return Agreement(
            found,
            measures=compare(asked.scheme, said, found.scores, seed),
            by_agent=_apart(asked.scheme, said, lambda row: row.agent),
            by_step_type=_apart(asked.scheme, said, lambda row: row.step_type),
        )

    def gather(self, asked: Asked) -> Gathered:
        """Return what is compared; what adjudicators said is not, for they saw the others."""
        found: dict[TraceKey, list[Annotation]] = defaultdict(list)
        for row in self._rows(asked.project, asked.rows._replace(scheme=asked.scheme.name)):
            key, author = row.slot.key, row.slot.annotator
            wanted = asked.traces is None or key.trace_id in asked.traces
            wanted = wanted and not row.is_deleted and row.origin is not Origin.ADJUDICATION
            if wanted and not asked.withheld(key, author):
                found[key].append(row)
        stood = {key: self._reading.stood(key, rows) for key, rows in found.items()}
        every = [row for rows in stood.values() for row in rows]
        kept = [row for row in every if row.counts or asked.with_changed]
        scores = self._scores(asked.scheme, stood)
        return Gathered(len(found), len(every) - len(kept), list(map(_said, kept)), scores)

    def _rows(self, project: str, asked: AnnotationQuery) -> Iterable[Annotation]:
        return islice(every_annotation(self._store, Reach.only(project), asked), MOST_ROWS)

    def _scores(
        self, scheme: Scheme, stood: Mapping[TraceKey, Sequence[Stood]]
    ) -> Mapping[tuple[str, str], float]:
        """Return the score of each trajectory by each annotator who judged a step of it."""
        if not scheme.has_score:
            return {}
        scores = {}
        for key, rows in stood.items():
            for who in {row.said.slot.annotator for row in rows}:
                own = [row for row in rows if row.said.slot.annotator == who]
                scores[key.trace_id, who] = score_now(scheme, own, frozenset()).value
        return scores


def _said(row: Stood) -> Said:
    slot, anchor = row.said.slot, row.said.anchor
    step_id = row.standing.step_id or slot.step_id
    unit = Unit(slot.key.trace_id, WHOLE if slot.step_id == WHOLE else step_id)
    of_step = anchor.agent_name, anchor.step_type, anchor.quote
    return Said(unit, slot.annotator, row.said.mark, *of_step)


def _apart(
    scheme: Scheme, said: Sequence[Said], place: Callable[[Said], str]
) -> Mapping[str, Sequence[Measure]]:
    groups: dict[str, list[Said]] = defaultdict(list)
    for row in said:
        if row.unit.step_id != WHOLE:
            groups[place(row)].append(row)
    return {name: compare(scheme, rows, {}, None) for name, rows in sorted(groups.items())}
