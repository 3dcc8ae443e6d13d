"""The preorder of a tree of spans: parents first, siblings in the order of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

MAX_DEPTH = 65_535
"""Most that the column of depths can hold; deeper spans get this depth."""
_NOWHERE = -1
"""The parent of a root; as a list index it is the last element."""


class Preorder(NamedTuple):
    """Spans by their index in the input, in preorder."""

    order: Sequence[int]
    depths: Sequence[int]
    """0 for a root."""


def preorder(ids: Sequence[str], parents: Sequence[str]) -> Preorder:
    """Return every span once, parents before their children, siblings in the order of the input.

    A span whose parent is missing is a root. In a cycle the first span becomes a root.
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
    """Walk the tree by first children and next siblings, without recursion or stack."""
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
    """Make the first span of each cycle a root, in place; visits each span once."""
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
