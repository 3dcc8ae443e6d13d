"""The order of a tree of spans that came in any order: parents first, children as they began."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

MAX_DEPTH = 65_535
"""What a column of depths can hold; spans below stand at this depth, behind each other."""
_NOWHERE = -1
"""The parent of a root; as a place in a list it is the last one."""


class Preorder(NamedTuple):
    """Spans by their places in the list that was given, from the top down."""

    order: Sequence[int]
    depths: Sequence[int]
    """0 for a root."""


def preorder(ids: Sequence[str], parents: Sequence[str]) -> Preorder:
    """Return every span once, parents before their children, siblings in the order given.

    A span whose parent is not there is a root. Of spans that are each other's ancestors the first
    is one.
    """
    at = {span_id: place for place, span_id in enumerate(ids)}
    above = [at.get(parent_id, _NOWHERE) for parent_id in parents]
    _cut_circles(above)
    first, following = [_NOWHERE] * (len(ids) + 1), [_NOWHERE] * len(ids)
    for place in range(len(ids) - 1, -1, -1):
        following[place] = first[above[place]]
        first[above[place]] = place
    return _walk(above, first, following)


def _walk(above: Sequence[int], first: Sequence[int], following: Sequence[int]) -> Preorder:
    """Follow the links to each first child and to each next sibling; no recursion, no stack."""
    order: list[int] = []
    depths: list[int] = []
    place, depth = first[_NOWHERE], 0
    while place != _NOWHERE:
        order.append(place)
        depths.append(min(depth, MAX_DEPTH))
        if first[place] != _NOWHERE:
            place, depth = first[place], depth + 1
            continue
        while place != _NOWHERE and following[place] == _NOWHERE:
            place, depth = above[place], depth - 1
        if place != _NOWHERE:
            place = following[place]
    return Preorder(order, depths)


def _cut_circles(above: MutableSequence[int]) -> None:
    """Make a root of the first span of each circle; each span is walked over once."""
    done = bytearray(len(above))
    for start in range(len(above)):
        path, place = [], start
        while place != _NOWHERE and not done[place]:
            done[place] = 1
            path.append(place)
            place = above[place]
        if path and place != _NOWHERE and done[place] == 1:
            above[min(path[path.index(place) :])] = _NOWHERE
        for passed in path:
            done[passed] = 2
