"""Joins several traces of one run, in any order of extraction.

A ``Part`` has the data of one trace of such a run, and is called a part here. The home trace of the
run is built from the spans of all parts; the other parts are stored as duplicates of the home
trace. Building a part makes its home trace due again; building a home trace makes the parts due
that are stored with another home. A part that is stored with the right home is not made due, so the
rebuilding always ends.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.joining.homes import DAY_NS, find_homes
from spanloom.core.joining.parts import part_of
from spanloom.core.ports.calls import CallWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.calls import PartFinder

    Session: TypeAlias = tuple[str, str]
    """A project, and the key of a conversation in it."""

MAX_PARTS = 5_000
"""A conversation with this many parts within six days is not joined; limits a build's cost."""
FAR_NS = 3 * DAY_NS
"""Time in ns before and after a part in which other parts are read.

Parts of the same run are at most a day away; earlier and later parts determine their home traces.
"""
_LAST_NS = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Joins:
    """The runs of several traces in a batch, with the stored traces of the same runs."""

    homes: dict[TraceKey, TraceKey] = field(default_factory=dict)
    """The home trace of each part in the batch."""
    members: defaultdict[TraceKey, list[Part]] = field(default_factory=lambda: defaultdict(list))
    """The other parts of each run whose home trace is in the batch."""
    former: dict[TraceKey, Part] = field(default_factory=dict)
    """The stored versions of the parts in the batch, if any."""
    due: dict[TraceKey, int] = field(default_factory=dict)
    """Stored traces to build again, with the number of spans of their runs."""
    gone: set[TraceKey] = field(default_factory=set)
    """Parts that have lost spans; their stored versions stay."""
    crowded: set[TraceKey] = field(default_factory=set)
    """Parts that stay alone because their conversation has too many parts."""


def find_joins(finder: PartFinder, parts: Mapping[TraceKey, Part]) -> Joins:
    """Find the runs of the parts in a batch, among these parts and stored parts."""
    joins = Joins()
    own: defaultdict[Session, dict[TraceKey, Part]] = defaultdict(dict)
    for key, part in parts.items():
        own[key.project, part.session][key] = part
    stored = _load(finder, parts.values())
    every = [part for found in stored.values() for part in found]
    joins.former.update((part.key, part) for part in every if part.key in parts)
    for key, before in joins.former.items():
        if (
            before.span_count > parts[key].span_count
        ):  # removed by retention: the stored document stays
            joins.gone.add(key)
            joins.homes[key] = key._replace(trace_id=before.home)
            own[key.project, parts[key].session].pop(key)
    built = parts.keys() - joins.gone
    for session, found in stored.items():
        _compare(own[session], built, [part for part in found if part.key not in built], joins)
    for key in parts:
        joins.due.pop(key, None)
    return joins


def _compare(
    own: Mapping[TraceKey, Part],
    built: AbstractSet[TraceKey],
    stored: Sequence[Part],
    joins: Joins,
) -> None:
    """Compare the parts of one conversation: those in the batch, and those only in the store."""
    if len(stored) >= MAX_PARTS or len(own) >= MAX_PARTS:
        joins.homes.update((key, key) for key in own)
        joins.crowded.update(own)
        return
    every = [*own.values(), *stored]
    homes = find_homes(every)
    sizes: defaultdict[TraceKey, int] = defaultdict(int)
    for part in every:
        home = homes[part.key]
        sizes[home] += part.span_count
        if home in own and home != part.key:
            joins.members[home].append(part)
    joins.homes.update((key, homes[key]) for key in own)
    due = [
        *_homes_of_built(own, homes, joins.former),
        *_misplaced(own, built, stored, homes),
        *_former_homes(own, stored, homes, joins.former),
    ]
    joins.due.update((key, sizes[key]) for key in due)


def _homes_of_built(
    own: Mapping[TraceKey, Part],
    homes: Mapping[TraceKey, TraceKey],
    former: Mapping[TraceKey, Part],
) -> Iterator[TraceKey]:
    """Yield the current and the former home traces of the parts just built."""
    for key in own:
        yield homes[key]
        if (before := former.get(key)) is not None:
            yield key._replace(trace_id=before.home)


def _former_homes(
    own: Mapping[TraceKey, Part],
    stored: Sequence[Part],
    homes: Mapping[TraceKey, TraceKey],
    former: Mapping[TraceKey, Part],
) -> Iterator[TraceKey]:
    """Yield the former home traces of parts that the batch moves to another home trace.

    A home trace may have been built with a part before the part was stored with this home, so the
    stored home of a part is not enough: its home is also computed from all stored parts.
    """
    if all(_is_placed_alike(part, former.get(key)) for key, part in own.items()):
        return
    known = [*stored, *(former[key] for key in own if key in former)]
    for key, before in find_homes(known).items():
        if homes[key] != before:
            yield before


def _is_placed_alike(part: Part, before: Part | None) -> bool:
    return before is not None and part._replace(
        span_count=0, home="", others=()
    ) == before._replace(span_count=0, home="", others=())


def _misplaced(
    own: Mapping[TraceKey, Part],
    built: AbstractSet[TraceKey],
    stored: Sequence[Part],
    homes: Mapping[TraceKey, TraceKey],
) -> Iterator[TraceKey]:
    """Yield stored parts within a day of the batch's parts whose stored home trace is outdated.

    Home traces cannot be determined near the ends of the time range that was read.
    """
    times = sorted(t for part in own.values() for t in (part.start_ns, part.prompt_ns) if t)
    for part in stored:
        known = part.key._replace(trace_id=part.home)
        if homes[part.key] != known and (known in built or _is_near(part, times)):
            yield part.key


def _is_near(part: Part, times: Sequence[int]) -> bool:
    """Return whether a part began within a day of any of these times, which are sorted."""
    n = bisect_left(times, part.start_ns - DAY_NS)
    return n < len(times) and times[n] <= part.start_ns + DAY_NS


def _load(finder: PartFinder, parts: Iterable[Part]) -> Mapping[Session, Sequence[Part]]:
    """Return the stored parts of each conversation in the days around the parts of the batch."""
    windows: defaultdict[str, list[CallWindow]] = defaultdict(list)
    found: defaultdict[Session, list[Part]] = defaultdict(list)
    for part in parts:
        for session in (part.session, *part.others):
            windows[part.key.project].append(_window(session, part))
            found[part.key.project, session] = []
    for project, wanted in windows.items():
        for call in finder.find_parts(project, wanted, MAX_PARTS):
            found[project, call.call_key].append(part_of(call))
    return found


def _window(session: str, part: Part) -> CallWindow:
    times = [t for t in (part.start_ns, part.end_ns, part.prompt_ns) if t] or [0]
    from_ns, until_ns = max(min(times) - FAR_NS, 0), min(max(times) + FAR_NS, _LAST_NS)
    return CallWindow(session, from_ns, until_ns)
