"""The items that failed, those with most failures first, then those with most errors."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.files.measures import passes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from spanloom.evaluation.files.judging import Judgement, Row

ERROR = "error"


class Worst(NamedTuple):
    """The worst items, and how many failed in all."""

    items: Sequence[tuple[str, Sequence[Row]]]
    """Each with its results that failed or are errors."""
    total: int


def find_worst(judgement: Judgement, warn_scores: Collection[str], most: int) -> Worst:
    """Return at most so many items; what only warns is no failure."""
    ranked: list[tuple[int, int, str]] = []
    for item, bad in _bad_by_item(judgement, warn_scores):
        errors = sum(row.result["status"] == ERROR for row in bad)
        if bad:
            ranked.append((errors - len(bad), -errors, item))
    wanted = {item: at for at, (*_, item) in enumerate(sorted(ranked)[:most])}
    found = [one for one in _bad_by_item(judgement, warn_scores) if one[0] in wanted]
    return Worst(sorted(found, key=lambda one: wanted[one[0]]), len(ranked))


def describe(row: Row) -> str:
    """Return what became of a result that failed: ``failed``, or the code of its error."""
    result = row.result
    return str(result["error_code"]) if result["status"] == ERROR else "failed"


def _bad_by_item(
    judgement: Judgement, warn_scores: Collection[str]
) -> Iterator[tuple[str, Sequence[Row]]]:
    for item, rows in groupby(judgement.rows(), key=lambda row: str(row.result["item"])):
        yield item, [row for row in rows if _is_bad(row, warn_scores)]


def _is_bad(row: Row, warn_scores: Collection[str]) -> bool:
    if row.result["status"] == ERROR:
        return True
    return passes(row.result) is False and row.result["name"] not in warn_scores
