"""The order of a tree of spans that came in any order: parents first, children as they began."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DEPTH = 65_535
"""What a column of depths can hold; spans below stand at this depth, behind each other."""


class Spot(NamedTuple):
    """Where a span stands: its place in the list that was given, and how deep."""

    at: int
    depth: int


def preorder(ids: Sequence[str], parents: Sequence[str]) -> list[Spot]:
    """Return every span once, parents before their children, siblings in the order given.

    A span whose parent is not there is a root. Spans that are each other's ancestors hang below
    the first of them.
    """
    at = {span_id: place for place, span_id in enumerate(ids)}
    children: defaultdict[int, list[int]] = defaultdict(list)
    roots = []
    for place, parent_id in enumerate(parents):
        parent = at.get(parent_id)
        if parent is None or parent == place:
            roots.append(place)
        else:
            children[parent].append(place)
    spots: list[Spot] = []
    seen = bytearray(len(ids))
    for root in (*roots, *range(len(ids))):  # the second part finds only circles
        if not seen[root]:
            _descend(root, children, seen, spots)
    return spots


def _descend(
    root: int, children: defaultdict[int, list[int]], seen: bytearray, spots: list[Spot]
) -> None:
    waiting = [Spot(root, 0)]
    while waiting:
        spot = waiting.pop()
        if seen[spot.at]:
            continue
        seen[spot.at] = 1
        spots.append(spot)
        depth = min(spot.depth + 1, MAX_DEPTH)
        if spot.at in children:
            waiting += [Spot(child, depth) for child in reversed(children[spot.at])]
