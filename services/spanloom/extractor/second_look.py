"""Looks again for reports of a batch's calls and runs in other traces, after storing the batch.

Two extractors that build two reports of one call at the same time do not find each other's report
before they write. Each looks again after writing, so at least one of them finds the other's report.
If only one process builds, it looks up and stores its batches one after the other, without a second
look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.extractor.duplicates import Repeats, find_repeats
from spanloom.extractor.joining import Joins, find_joins

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import Call, CallIndex
    from spanloom.extractor.result import BatchResult


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The calls and parts of a batch, and the other traces found when it was built."""

    calls: Mapping[TraceKey, Sequence[Call]]
    repeats: Repeats
    known: AbstractSet[TraceKey]
    """The traces of the batch that were already stored."""
    parts: Mapping[TraceKey, Part] = field(default_factory=dict)
    joins: Joins = field(default_factory=Joins)


def look_again(index: CallIndex, first: FirstLook, result: BatchResult) -> None:
    """Make traces due again because of calls or parts that were stored in the meantime."""
    written = result.written
    calls = {key: own for key, own in first.calls.items() if key in written}
    parts = {key: part for key, part in first.parts.items() if key in written}
    repeats = find_repeats(index, calls, first.known & written)
    joins = find_joins(index, parts)
    others = {*repeats.stored, *joins.due}.difference(first.calls, first.parts)
    own = {*_repeated(first.repeats, repeats), *_joined(first.joins, joins, parts.keys())}
    result.repeated_elsewhere += sorted((others | own).difference(result.repeated_elsewhere))


def _repeated(first: Repeats, now: Repeats) -> Iterator[TraceKey]:
    """Yield the traces whose original has changed since the first look."""
    for key, original in now.originals.items():
        if first.originals.get(key) != original:
            yield key


def _joined(first: Joins, now: Joins, parts: AbstractSet[TraceKey]) -> Iterator[TraceKey]:
    """Yield the parts whose home trace has changed, and home traces whose parts have changed."""
    for key in parts:
        is_same_home = first.homes.get(key) == now.homes.get(key)
        if not is_same_home or _sizes(first, key) != _sizes(now, key):
            yield key


def _sizes(joins: Joins, home: TraceKey) -> Mapping[TraceKey, int]:
    """Return the parts that a home trace shows, with their numbers of spans."""
    return {part.key: part.span_count for part in joins.members.get(home, ())}
