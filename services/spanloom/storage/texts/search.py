"""Finds texts: candidates by the index, newest run first, then those that are current.

A candidate may be of an older version of its run, or stored twice, if an indexer died after an
INSERT. They are checked against the current versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.ports.texts import HitCursor, ListedHit
from spanloom.core.query.text_query import make_snippet
from spanloom.core.records.declared import Read
from spanloom.core.records.hit import HIT, Hit, Part
from spanloom.storage.engine.conditions import Condition, within
from spanloom.storage.texts.conditions import having_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.texts import TextSearch
    from spanloom.core.query.text_query import TextQuery
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

SPARE_CANDIDATES = 16
"""Extra candidates to read: old versions are dropped."""
MAX_CANDIDATES = 4_000
TEXTS_AT_ONCE = 50
_STEP_ID = "{:016x}".format
_PARTS = tuple(Part)
_READ = {field.name: read.sql for field in HIT.fields if (read := field.find(Read))}
_COLUMNS = Condition(", ".join(f"{sql} AS {name}" for name, sql in _READ.items()), {})
_TextKey: TypeAlias = tuple[str, int, str, int]


class ClickHouseTextFinder:
    """``TextFinder`` over the lane of readers."""

    def __init__(self, reader: Lane) -> None:
        """Use the lane, which the caller owns and closes."""
        self._reader = reader

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        """See ``TextFinder.search``."""
        text = having_text(self._reader, wanted.query)
        found: dict[HitCursor, tuple[Row, int]] = {}
        most = limit + SPARE_CANDIDATES
        while len(found) < limit:
            rows = self._text_candidates(reach, wanted, text, most, after)
            current = self._text_places(rows)
            for row in rows:
                if position := current.get(_text_key(row)):
                    found[_place(row)] = row, position
            if len(rows) < most:
                break
            after, most = _place(rows[-1]), min(2 * most, MAX_CANDIDATES)
        return list(self._text_hits(wanted.query, list(found.values())[:limit]))

    def _text_candidates(
        self,
        reach: Reach,
        wanted: TextSearch,
        text: Condition,
        most: int,
        after: HitCursor | None,
    ) -> Sequence[Row]:
        place = after or HitCursor(0, "", "", "0", 0)
        rows = self._reader.rows(
            "text_candidates",
            reach=within(reach),
            text=text,
            parts=[str(part) for part in wanted.parts],
            from_ns=wanted.start_from_ns,
            before_ns=wanted.start_before_ns,
            after_start_ns=after.start_ns if after else None,
            after_trace_id=place.trace_id,
            after_project=place.project,
            after_step_id=int(place.step_id, 16),
            after_place=place.part,
            most=most,
        )
        return list(rows)

    def _text_places(self, rows: Sequence[Row]) -> Mapping[_TextKey, int]:
        """Return the position of the step for each text that is current."""
        keys = list(dict.fromkeys((row.Project, row.TraceId) for row in rows))
        asked = sorted(set(map(_text_key, rows)))
        current = self._reader.rows("current_texts", asked=asked, keys=keys) if rows else ()
        return {_text_key(row): row.Position for row in current}

    def _text_hits(self, query: TextQuery, found: Sequence[tuple[Row, int]]) -> Iterator[ListedHit]:
        for at in range(0, len(found), TEXTS_AT_ONCE):
            some = found[at : at + TEXTS_AT_ONCE]
            texts = self._stored_texts([row for row, _ in some])
            for row, position in some:
                stored = texts[row.Project, row.TraceId, row.StepId, row.Place, row.Hash]
                snippet = make_snippet(stored.Text, query)
                hit = Hit(
                    trace_id=row.TraceId,
                    project=row.Project,
                    started_at=row.TrajectoryStart // 1_000_000,
                    step_id=_STEP_ID(row.StepId),
                    position=position,
                    part=_PARTS[row.Place - 1],
                    snippet=snippet.text,
                    offsets=list(snippet.marks),
                    **{name: getattr(stored, name) for name in _READ},
                )
                yield ListedHit(hit, row.TrajectoryStart)

    def _stored_texts(self, rows: Sequence[Row]) -> Mapping[tuple[object, ...], Row]:
        places = [(row.Project, row.TrajectoryStart, row.TraceId, row.StepId) for row in rows]
        stored = self._reader.rows("read_texts", places=places, columns=_COLUMNS)
        return {(r.Project, r.TraceId, r.StepId, r.Place, r.Hash): r for r in stored}


def _text_key(row: Row) -> _TextKey:
    """Return the identity of a text in a version: a moved run has it at another start, too."""
    return row.Project, row.TrajectoryStart, row.TraceId, row.Hash


def _place(row: Row) -> HitCursor:
    """Return the place of a candidate; a text stored twice has one place."""
    return HitCursor(row.TrajectoryStart, row.TraceId, row.Project, _STEP_ID(row.StepId), row.Place)
