"""Looks for calls and parts of other traces once more after a batch is stored.

Two extractors that build two reports of one call at the same time do not find each other's before
they write. Each writes before it looks again, so at least one of the two sees the other. Where only
one process builds, its batches are looked up and stored one after the other, and there is no second
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
    """What a batch was built with: its calls and parts, and what was found of others."""

    calls: Mapping[TraceKey, Sequence[Call]]
    repeats: Repeats
    known: AbstractSet[TraceKey]
    """Those that had been stored before."""
    parts: Mapping[TraceKey, Part] = field(default_factory=dict)
    joins: Joins = field(default_factory=Joins)


def look_again(index: CallIndex, first: FirstLook, result: BatchResult) -> None:
    """Add what was stored meanwhile, and matters to the traces written, to those to build again."""
    written = result.written
    calls = {key: own for key, own in first.calls.items() if key in written}
    parts = {key: part for key, part in first.parts.items() if key in written}
    repeats = find_repeats(index, calls, first.known & written)
    joins = find_joins(index, parts)
    others = {*repeats.stored, *joins.due}.difference(first.calls, first.parts)
    own = {*_repeated(first.repeats, repeats), *_joined(first.joins, joins, parts.keys())}
    result.repeated_elsewhere += sorted((others | own).difference(result.repeated_elsewhere))


def _repeated(first: Repeats, now: Repeats) -> Iterator[TraceKey]:
    """Yield the traces that repeat another one than they did."""
    for key, original in now.originals.items():
        if first.originals.get(key) != original:
            yield key


def _joined(first: Joins, now: Joins, parts: AbstractSet[TraceKey]) -> Iterator[TraceKey]:
    """Yield the parts that have another home than they had, and the homes that show others."""
    for key in parts:
        is_same_home = first.homes.get(key) == now.homes.get(key)
        if not is_same_home or _sizes(first, key) != _sizes(now, key):
            yield key


def _sizes(joins: Joins, home: TraceKey) -> Mapping[TraceKey, int]:
    """Return the parts that a home shows, with the number of their spans."""
    return {part.key: part.span_count for part in joins.members.get(home, ())}
