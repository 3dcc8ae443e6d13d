"""Finds steps that follow each other, or are below each other; positions count from 0."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.query.flat_steps import FlatStep
    from spanloom.core.query.where.tree import Link

    Pair: TypeAlias = tuple[int, int] | tuple[()]


def bind_chain(meeting: Sequence[Sequence[int]], links: Sequence[Link]) -> tuple[int, ...]:
    """Return the positions of the earliest steps that form a chain; empty if there are none.

    ``meeting`` has, for each predicate, the ascending positions of the steps that meet it.
    """
    ending = [list(meeting[-1])]
    for places, link in zip(meeting[-2::-1], links[::-1], strict=True):
        after = ending[-1]
        ending.append([place for place in places if _next_in(after, place, link) is not None])
    if not ending[-1]:
        return ()
    bound = [ending[-1][0]]
    for places, link in zip(ending[-2::-1], links, strict=True):
        bound.append(_next_in(places, bound[-1], link) or 0)
    return tuple(bound)


def _next_in(places: Sequence[int], before: int, link: Link) -> int | None:
    """Return the first position after ``before`` within the limit of the link, or ``None``."""
    at = bisect_right(places, before)
    if at == len(places) or (link.most is not None and places[at] - before > link.most):
        return None
    return places[at]


def bind_child(inner: Sequence[int], outer: Sequence[int], steps: Sequence[FlatStep]) -> Pair:
    """Return (parent, child): the first step of ``inner`` whose parent is in ``outer``."""
    outers = set(outer)
    found = ((steps[at].parent - 1, at) for at in inner if steps[at].parent - 1 in outers)
    return next(found, ())


def bind_under(inner: Sequence[int], outer: Sequence[int], steps: Sequence[FlatStep]) -> Pair:
    """Return (ancestor, step): the first step of ``inner`` with an ancestor in ``outer``."""
    outers = set(outer)
    nearest: dict[int, int] = {}
    for at in _from_top(steps):
        above = steps[at].parent - 1
        nearest[at] = above if above in outers else nearest.get(above, -1)
    found = ((nearest[at], at) for at in inner if nearest.get(at, -1) >= 0)
    return next(found, ())


def _from_top(steps: Sequence[FlatStep]) -> Iterator[int]:
    """Yield positions from the top down, leaving out steps whose parents form a cycle."""
    walked = (at for at, flat in enumerate(steps) if flat.enter)
    yield from sorted(walked, key=lambda at: steps[at].enter)
