"""Agreement over what is stored: of one scheme, over the items of a queue or over all there is."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.annotating.reading import Stood, score_now
from spanloom.core.annotation.comparing import Measure, Said, Unit, compare
from spanloom.core.model.annotation import WHOLE
from spanloom.core.model.tenancy import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from spanloom.annotating.reading import Reading
    from spanloom.annotating.versions import Versions
    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.model.annotation import Annotation
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import AnnotationQuery, AnnotationStore

PAGE = 10_000
MOST_ROWS = 1_000_000
"""Annotations that are compared at most."""


class Agreement(NamedTuple):
    """How far annotators agree, over all and apart."""

    traces: int
    rows: int
    left_out: int
    """Rows that do not count: their steps say something else now, or have gone."""
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

    def agree(
        self,
        project: str,
        scheme: Scheme,
        asked: AnnotationQuery,
        *,
        traces: Collection[str] | None = None,
        withheld: Callable[[TraceKey, str], bool],
        with_changed: bool = False,
        seed: int = 0,
    ) -> Agreement:
        """Return how far annotators agree; of these traces alone, if any are given."""
        found: dict[TraceKey, list[Annotation]] = defaultdict(list)
        for row in self._rows(project, asked._replace(scheme=scheme.name)):
            key, author = row.slot.key, row.slot.annotator
            wanted = traces is None or key.trace_id in traces
            if wanted and not row.is_deleted and not withheld(key, author):
                found[key].append(row)
        stood = {key: self._reading.stood(key, rows) for key, rows in found.items()}
        every = [row for rows in stood.values() for row in rows]
        kept = [row for row in every if row.counts or with_changed]
        said = list(map(_said, kept))
        scores = self._scores(scheme, stood)
        return Agreement(
            traces=len(found),
            rows=len(kept),
            left_out=len(every) - len(kept),
            measures=compare(scheme, said, scores, seed),
            by_agent=_apart(scheme, said, lambda row: row.agent),
            by_step_type=_apart(scheme, said, lambda row: row.step_type),
        )

    def _rows(self, project: str, asked: AnnotationQuery) -> Iterable[Annotation]:
        reach, after, seen = Reach.only(project), None, 0
        while seen < MOST_ROWS:
            page = self._store.annotations(reach, asked, PAGE, after)
            yield from page
            seen += len(page)
            if len(page) < PAGE:
                return
            after = page[-1].slot

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
    return Said(unit, slot.annotator, row.said.mark, anchor.agent_name, anchor.step_type)


def _apart(
    scheme: Scheme, said: Sequence[Said], place: Callable[[Said], str]
) -> Mapping[str, Sequence[Measure]]:
    groups: dict[str, list[Said]] = defaultdict(list)
    for row in said:
        if row.unit.step_id != WHOLE:
            groups[place(row)].append(row)
    return {name: compare(scheme, rows, {}, None) for name, rows in sorted(groups.items())}
