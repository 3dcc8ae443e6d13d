"""Finds the items that failed, sorted by failures, then by errors."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.files.measures import passes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from spanloom.evaluation.files.judging import Judgement, Row

ERROR = "error"


class Worst(NamedTuple):
    """The worst items, and the number of all items that failed."""

    items: Sequence[tuple[str, Sequence[Row]]]
    """Each item with its failed and erroneous results."""
    total: int


def find_worst(judgement: Judgement, warn_scores: Collection[str], most: int) -> Worst:
    """Return the worst items, at most ``most``; scores that only warn never count as failed."""
    ranked: list[tuple[int, int, str]] = []
    for item, bad in _bad_by_item(judgement, warn_scores):
        errors = sum(row.result["status"] == ERROR for row in bad)
        if bad:
            ranked.append((errors - len(bad), -errors, item))
    ranks = {item: at for at, (*_, item) in enumerate(sorted(ranked)[:most])}
    found = [one for one in _bad_by_item(judgement, warn_scores) if one[0] in ranks]
    return Worst(sorted(found, key=lambda one: ranks[one[0]]), len(ranked))


def describe(row: Row) -> str:
    """Return ``failed``, or the code of an error."""
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
