"""What holds after every step, and what holds at rest.

``EVER`` and ``AT_REST`` have all of them by name; ``BROKEN`` names those that do not hold yet. To
switch one on take its name out: the random tests then demand it, and the example in ``found`` has
to pass. What a column will answer that does not exist yet, ``views`` answers as well as it can.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.simulation import views
from tests.simulation.store import unextracted
from tests.simulation.tables import OF_SPANS
from tests.simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from spanloom.core.model.span import TraceKey


@dataclass
class Seen:
    """What readers have seen so far."""

    world: World
    listed: set[TraceKey] = field(default_factory=set)
    read: dict[TraceKey, Any] = field(default_factory=dict)

    @property
    def keys(self) -> set[TraceKey]:
        return {request.key for request in self.world.sent}


if TYPE_CHECKING:
    Invariant: TypeAlias = Callable[[Seen], str]


def one_place(seen: Seen) -> str:
    """I1: a run is at one place of the list, from its first version on."""
    for key in seen.keys:
        places = len(views.listed(seen.world.engine, key))
        if places > 1 or (not places and key in seen.listed):
            return f"{key.trace_id[:2]} is at {places} places"
        if places:
            seen.listed.add(key)
    return ""


def on_a_page(seen: Seen) -> str:
    """I1 of pages: what the list has, its pages show once."""
    for key in seen.keys:
        shown = len(views.paged(seen.world.engine, key))
        if shown != len(views.listed(seen.world.engine, key)):
            return f"{key.trace_id[:2]} is shown {shown} times"
    return ""


def found_by_key(seen: Seen) -> str:
    """I1 of single runs: who looks one up by its key finds the row that the list has."""
    for key in seen.keys:
        listed, found = views.listed(seen.world.engine, key), views.by_key(seen.world.engine, key)
        if found != (listed[0] if listed else None):
            return f"{key.trace_id[:2]} is found as {found}"
    return ""


def never_less(seen: Seen) -> str:
    """I2: what is shown of a run never gets less, unless spans expired."""
    for key in seen.keys - seen.world.expired:
        row = views.head(seen.world.engine, key)
        if row is not None:
            read = views.read_of(row)
            if key in seen.read and read < seen.read[key]:
                return f"{key.trace_id[:2]} fell from {seen.read[key]} to {read}"
            seen.read[key] = read
    return ""


def one_document(seen: Seen) -> str:
    """I3: a version number of a trace has one document."""
    documents: dict[tuple[TraceKey, int], bytes] = {}
    for row in seen.world.engine.logs["trajectories"].every_row:
        if documents.setdefault((row.key, row.version), row.document) != row.document:
            return f"{row.key.trace_id[:2]} has two documents of version {row.version}"
    return ""


def distinct_ranks(seen: Seen) -> str:
    """I4: no two documents of a trace have one rank."""
    documents: dict[tuple[TraceKey, int], bytes] = {}
    for row in seen.world.engine.logs["trajectories"].every_row:
        if documents.setdefault((row.key, row.seq), row.document) != row.document:
            return f"{row.key.trace_id[:2]} has two documents of rank {row.seq}"
    return ""


def told_once(seen: Seen) -> str:
    """I5: a version is told once."""
    for key in seen.keys:
        versions = [row.version for row in views.told(seen.world.engine, key)]
        if len(versions) > len(set(versions)):
            return f"{key.trace_id[:2]} was told as {versions}"
    return ""


def told_is_stored(seen: Seen) -> str:
    """I5: what was told can be read, in this version or a newer one."""
    for key in seen.keys:
        row = views.head(seen.world.engine, key)
        newest = max((t.version for t in views.told(seen.world.engine, key)), default=0)
        if newest > (row.version if row else 0):
            return f"{key.trace_id[:2]} was told in version {newest}, and is {row and row.version}"
    return ""


def as_one_extractor(seen: Seen) -> str:
    """R1: the document is that of one extractor over all spans, apart from its version."""
    alone = World(max_spans=seen.world.options.max_trace_spans)
    alone.engine.now_ns = seen.world.engine.now_ns
    for name in OF_SPANS:
        alone.engine.commit(name, seen.world.engine.rows(name))
    alone.come_to_rest()
    for key in seen.keys - seen.world.expired:
        ours, expected = (views.document(w.engine, key) for w in (seen.world, alone))
        if ours != expected:
            counts = [views.span_count(w.engine, key) for w in (seen.world, alone)]
            return f"{key.trace_id[:2]} differs: {counts} spans\n{ours}\n{expected}"
    return ""


def not_live(seen: Seen) -> str:
    """R2: no run is live, unless its spans expired before they were read again."""
    for key in seen.keys - seen.world.expired:
        row = views.head(seen.world.engine, key)
        if row is not None and row.status == "live":
            return f"{key.trace_id[:2]} is live"
    return ""


def nothing_due(seen: Seen) -> str:
    """R3: nothing is left to build, for those that run and for those that start."""
    if due := unextracted(seen.world.engine):
        return f"not extracted: {due}"
    busy = [n for n, one in enumerate(seen.world.extractors) if not one.is_idle]
    return f"extractors {busy} are not idle" if busy else ""


def newest_is_told(seen: Seen) -> str:
    """R4: the stored version was told, unless the spans expired before its writer told it."""
    for key in seen.keys - seen.world.expired:
        row = views.head(seen.world.engine, key)
        versions = {line.version for line in views.told(seen.world.engine, key)}
        if row is not None and row.version not in versions:
            return f"version {row.version} of {key.trace_id[:2]} was not told"
    return ""


EVER: Mapping[str, Invariant] = {
    one.__name__: one
    for one in (
        one_place,
        on_a_page,
        found_by_key,
        never_less,
        one_document,
        distinct_ranks,
        told_once,
        told_is_stored,
    )
}
AT_REST: Mapping[str, Invariant] = {
    one.__name__: one for one in (as_one_extractor, not_live, nothing_due, newest_is_told)
}
BROKEN: Mapping[str, str] = {
    "told_once": "what is stored is announced again where no progress is recorded",
    "as_one_extractor": "a build claims all that arrived, though it did not read it",
    "nothing_due": "arrivals are read from another table than changes",
}
"""The invariants that do not hold yet, and why."""
