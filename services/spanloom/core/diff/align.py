"""Aligns two lists of steps: finds which steps of the two lists correspond.

Steps that occur equally often on both sides are fixed points ("ties"); the steps between two ties
are aligned one by one (Needleman and Wunsch, 1970). Above ``MAX_COMPARED`` possible pairs, only the
longest common sections are paired; above ``MAX_MATCHED``, no steps are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.diff.steps import DiffStep, Signature

MAX_COMPARED = 400_000
"""Maximum pairs of steps between two ties that are compared one by one."""
MAX_MATCHED = 4_000_000
"""Maximum pairs of steps between two ties that are searched for common sections."""

Pairs = list[tuple[int, int]]


def align(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Pairs:
    """Return the pairs of corresponding positions, ascending on both sides.

    The pairs do not depend on the order of the two lists.
    """
    if [step.signature for step in a] > [step.signature for step in b]:
        return [(i, j) for j, i in _aligned(b, a)]
    return _aligned(a, b)


def _aligned(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Pairs:
    pairs: Pairs = []
    i = j = 0
    for tied_i, tied_j in [*_ties(a, b), (len(a), len(b))]:
        if i < tied_i and j < tied_j:
            pairs += [(i + x, j + y) for x, y in _between(a[i:tied_i], b[j:tied_j])]
        if tied_i < len(a):
            pairs.append((tied_i, tied_j))
        i, j = tied_i + 1, tied_j + 1
    return pairs


def _ties(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Pairs:
    """Pair the steps that both sides have equally often; drop the fewest that break the order."""
    in_a, in_b = _places(a), _places(b)
    shared = [
        pair
        for signature, places in in_a.items()
        if len(places) == len(in_b.get(signature, ()))
        for pair in zip(places, in_b[signature], strict=True)
    ]
    return _longest_rising(sorted(shared))


def _places(steps: Sequence[DiffStep]) -> dict[Signature, list[int]]:
    places: defaultdict[Signature, list[int]] = defaultdict(list)
    for place, step in enumerate(steps):
        places[step.signature].append(place)
    return places


def _longest_rising(pairs: Pairs) -> Pairs:
    """Return the longest subsequence in which the second positions ascend; the first are sorted."""
    ends: list[int] = []
    chosen: list[int] = []
    before: list[int] = []
    for n, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(chosen[length - 1] if length else -1)
        if length == len(ends):
            ends.append(j)
            chosen.append(n)
        else:
            ends[length], chosen[length] = j, n
    rising: Pairs = []
    n = chosen[-1] if chosen else -1
    while n >= 0:
        rising.append(pairs[n])
        n = before[n]
    return rising[::-1]


def _between(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Pairs:
    cells = len(a) * len(b)
    if cells > MAX_MATCHED:
        return []
    if cells > MAX_COMPARED:
        return list(_common_parts(a, b))
    return _compared(a, b)


def _common_parts(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Iterator[tuple[int, int]]:
    ours, theirs = ([step.signature[:2] for step in side] for side in (a, b))
    for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        for n in range(block.size):
            yield block.a + n, block.b + n


def _compared(a: Sequence[DiffStep], b: Sequence[DiffStep]) -> Pairs:
    """Return the pairs with the highest sum of ``likeness``; each unpaired step costs ``GAP``."""
    best = [[j * GAP for j in range(len(b) + 1)]]
    for i, left in enumerate(a, 1):
        above, row = best[-1], [i * GAP]
        for j, right in enumerate(b, 1):
            alone = max(above[j], row[j - 1]) + GAP
            alike = likeness(left, right)
            row.append(alone if alike is None else max(alone, above[j - 1] + alike))
        best.append(row)
    return _traced_back(a, b, best)


def _traced_back(
    a: Sequence[DiffStep], b: Sequence[DiffStep], best: Sequence[Sequence[float]]
) -> Pairs:
    pairs: Pairs = []
    i, j = len(a), len(b)
    while i and j:
        if best[i][j] == best[i - 1][j] + GAP:  # if equal, pair earlier steps
            i -= 1
        elif best[i][j] == best[i][j - 1] + GAP:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


GAP = -0.6
"""Score of an unpaired step; two unpaired steps are worse than a pair of different tools."""
_OTHER_NAME = -0.5


def likeness(a: DiffStep, b: DiffStep) -> float | None:
    """Return how well two steps match: 2 at best; ``None`` if they cannot match.

    Steps of different types never match. Steps with different names match only if there is no
    better pair; names of model calls do not count. The same tool with two of three arguments equal
    scores 1.67.
    """
    if a.type != b.type:
        return None
    if a.signature.name != b.signature.name:
        return _OTHER_NAME
    if a.signature == b.signature:
        return 2.0
    return 1.0 + (_same_answer(a, b) if a.type == "model" else _same_arguments(a, b))


def _same_arguments(a: DiffStep, b: DiffStep) -> float:
    """Return the share of equal arguments among all arguments of the two steps."""
    ours, theirs = a.arguments, b.arguments
    if not ours or not theirs:
        return 0.0
    names = ours.keys() | theirs.keys()
    same = sum(name in ours and name in theirs and ours[name] == theirs[name] for name in names)
    return same / len(names)


def _same_answer(a: DiffStep, b: DiffStep) -> float:
    """Return the share of called tools that both outputs call; 0.5 if neither calls tools."""
    if not a.calls and not b.calls:
        return 0.5
    return len(a.calls & b.calls) / len(a.calls | b.calls)
