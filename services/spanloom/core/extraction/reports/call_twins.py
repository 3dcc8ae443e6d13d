"""Calls of two traces of which two instrumentations tell, each in one of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import nsmallest
from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.call_keys import sought_key
from spanloom.core.extraction.reports.likeness import slack_ns
from spanloom.core.extraction.reports.pairing import MAX_OPEN
from spanloom.core.extraction.reports.twins import MAX_PAIRS
from spanloom.core.model.timing import BLUR_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.building import Call

_START = attrgetter("start_ns")


def find_twins(other: Sequence[Call], own: Sequence[Call]) -> Sequence[Call]:
    """Return the twin of each call in the other trace; nothing if one has none of its own.

    A framework calls its instrumentations in one order: of all twins the same one begins first, and
    the same one ends first. Two runs that happen to run side by side are not so regular.
    """
    found: dict[str, Call] = {}
    taken: set[str] = set()
    for _, ours, theirs in sorted(_pairs(other, own)):
        if ours.step_id not in found and theirs.step_id not in taken:
            found[ours.step_id] = theirs
            taken.add(theirs.step_id)
    if len(found) < len(own):
        return ()
    pairs = [(call, found[call.step_id]) for call in own]
    return [theirs for _, theirs in pairs] if _are_regular(pairs) else ()


def _are_regular(pairs: Sequence[tuple[Call, Call]]) -> bool:
    """Return whether one teller is always first, and most of the time soon followed by the other.

    It may be late once or twice, where it loads modules or writes a traceback.
    """
    starts = [ours.start_ns - theirs.start_ns for ours, theirs in pairs]
    ends = [ours.end_ns - theirs.end_ns for ours, theirs in pairs]
    in_time = sum(are_twins(ours, theirs) for ours, theirs in pairs)
    return 2 * in_time >= len(pairs) and _have_one_sign(starts) and _have_one_sign(ends)


def _have_one_sign(apart_ns: Sequence[int]) -> bool:
    """Return whether one is first; what is called by asynchronous code has no order so fine."""
    return min(apart_ns) > -BLUR_NS or max(apart_ns) < BLUR_NS


def _pairs(other: Sequence[Call], own: Sequence[Call]) -> Iterator[tuple[int, Call, Call]]:
    """Yield the calls that may be twins, by how far apart they are: the nearest pairs are.

    Calls side by side that say the same begin in another order than they end.
    """
    alike: defaultdict[str, list[Call]] = defaultdict(list)
    for call in other:
        alike[call.call_key].append(call)
    for ours in own:
        near = _nearest(alike[sought_key(ours.call_key)], ours)
        pairs = ((sum(_ends_apart_ns(ours, o)), ours, o) for o in near if _may_be_twins(o, ours))
        yield from nsmallest(MAX_PAIRS, pairs)


def _nearest(calls: Sequence[Call], call: Call) -> Sequence[Call]:
    """Return those of the calls, which are in order, that began last before that one, and next."""
    middle = bisect_left(calls, call.start_ns, key=_START)
    return calls[max(middle - MAX_OPEN, 0) : middle + MAX_OPEN]


def started_near(calls: Sequence[Call], call: Call) -> Sequence[Call]:
    """Return those of the calls, which are in order, that began when a twin of that one does."""
    apart_ns = most_apart_ns(call)
    first = bisect_left(calls, call.start_ns - apart_ns, key=_START)
    return calls[first : bisect_right(calls, call.start_ns + apart_ns, key=_START)]


def most_apart_ns(call: Call) -> int:
    """Return how far from its start another report of the call begins at most.

    The slack follows the longer of the two reports, and neither is much longer than the other.
    """
    return slack_ns(call.start_ns, call.end_ns) * 5 // 4


def are_twins(ours: Call, theirs: Call) -> bool:
    """Return whether two instrumentations tell of calls that began and ended together."""
    return _tell_apart(ours, theirs) and max(_ends_apart_ns(ours, theirs)) <= _slack_ns(
        ours, theirs
    )


def _may_be_twins(ours: Call, theirs: Call) -> bool:
    """Return whether they began or ended together, and ran at one time half of the shorter one."""
    if are_twins(ours, theirs):
        return True
    shared_ns = min(ours.end_ns, theirs.end_ns) - max(ours.start_ns, theirs.start_ns)
    shorter_ns = min(ours.end_ns - ours.start_ns, theirs.end_ns - theirs.start_ns)
    is_near = min(_ends_apart_ns(ours, theirs)) <= _slack_ns(ours, theirs)
    return is_near and 2 * shared_ns >= shorter_ns and _tell_apart(ours, theirs)


def _tell_apart(ours: Call, theirs: Call) -> bool:
    """Return whether two instrumentations tell of them."""
    return "" not in (ours.dialect, theirs.dialect) and ours.dialect != theirs.dialect


def _ends_apart_ns(ours: Call, theirs: Call) -> tuple[int, int]:
    return abs(ours.start_ns - theirs.start_ns), abs(ours.end_ns - theirs.end_ns)


def _slack_ns(ours: Call, theirs: Call) -> int:
    return max(slack_ns(ours.start_ns, ours.end_ns), slack_ns(theirs.start_ns, theirs.end_ns))
