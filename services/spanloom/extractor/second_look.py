"""After storing a batch, looks again for duplicates and joined runs in other traces.

If two extractors build two reports of one call at the same time, neither finds the other report
before it writes. Each extractor looks again after writing, so at least one finds the other report.
A single extractor process needs no second look, because it looks up duplicates for a batch only
after the previous batch is stored.
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
    from spanloom.core.ports.calls import Call, CallIndex
    from spanloom.extractor.result import BatchResult


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The calls of a batch, its traces of joined runs, and the related traces that were found."""

    calls: Mapping[TraceKey, Sequence[Call]]
    repeats: Repeats
    known: AbstractSet[TraceKey]
    """The traces of the batch that were already stored."""
    parts: Mapping[TraceKey, Part] = field(default_factory=dict)
    joins: Joins = field(default_factory=Joins)


def look_again(index: CallIndex, first: FirstLook, result: BatchResult) -> None:
    """Make traces due again whose duplicates or joined traces were stored since the first look."""
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
    """Yield traces with another home trace than at the first look, or with other traces in them."""
    for key in parts:
        is_same_home = first.homes.get(key) == now.homes.get(key)
        if not is_same_home or _sizes(first, key) != _sizes(now, key):
            yield key


def _sizes(joins: Joins, home: TraceKey) -> Mapping[TraceKey, int]:
    """Return the other traces that a home trace shows, with their span counts."""
    return {part.key: part.span_count for part in joins.members.get(home, ())}
