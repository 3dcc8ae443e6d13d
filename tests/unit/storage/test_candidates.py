"""``read_list`` builds lists from candidates, here from candidates in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.lists import Cursor
from spanloom.storage.runs.candidates import SPARE_CANDIDATES, Candidate, read_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.storage.runs.candidates import Key


class _Line(NamedTuple):
    cursor: Cursor


def _at(start_ns: int, trace_id: str) -> Candidate:
    return Candidate(Cursor(start_ns, trace_id, "p"), ("p", trace_id))


def test_the_line_at_the_last_candidate_is_not_lost() -> None:
    limit = 3
    former = [_at(1_000 - n, "a") for n in range(limit + SPARE_CANDIDATES - 1)]
    every = [*former, _at(500, "b"), _at(400, "c")]  # a query returns all but the last of these
    newest = {one.key: _Line(one.place) for one in every}

    def candidates(most: int, after: Cursor | None) -> Sequence[Candidate]:
        return [one for one in every if after is None or one.place.place < after.place][:most]

    def current(rows: Sequence[Candidate]) -> Mapping[Key, _Line]:
        return {row.key: newest[row.key] for row in rows}

    found = read_list(candidates, current, limit, None, is_descending=True)
    assert [line.cursor.trace_id for line in found] == ["a", "b", "c"]
