"""Invariants that must hold after every step, and those that must hold at rest.

``EVER`` and ``AT_REST`` have all invariants by name; ``BROKEN`` names those that do not hold yet.
To enable one, remove its name: then the random tests require it, and the example in ``found`` must
pass. If an invariant needs a column that does not exist yet, ``views`` approximates its value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.simulation import views
from tests.simulation.store import arrived, of_keys, unextracted
from tests.simulation.tables import OF_SPANS
from tests.simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from spanloom.core.model.span import TraceKey


@dataclass
class Seen:
    """The runs that readers have seen so far, and the follower of the feed."""

    world: World
    follower: views.Follower
    listed: set[TraceKey] = field(default_factory=set)
    read: dict[TraceKey, Any] = field(default_factory=dict)

    def is_known(self, key: TraceKey) -> bool:
        """Return whether a whole build of fewer requests than are visible now is recorded."""
        [*known] = of_keys(self.world.engine.final("extraction_progress"), [key])
        number = len(arrived(self.world.engine)[key].requests) if known else 0
        return any(row.is_whole and row.requests < number for row in known)

    @property
    def keys(self) -> set[TraceKey]:
        return {request.key for request in self.world.sent}


if TYPE_CHECKING:
    Invariant: TypeAlias = Callable[[Seen], str]


def one_place(seen: Seen) -> str:
    """I1: from its first version on, a run is at exactly one place of the list of runs."""
    for key in seen.keys:
        places = len(views.listed(seen.world.engine, key))
        if places > 1 or (not places and key in seen.listed):
            return f"{key.trace_id[:2]} is at {places} places"
        if places:
            seen.listed.add(key)
    return ""


def found_by_key(seen: Seen) -> str:
    """I1 of single runs: a query by key finds a run at the same place as the list."""
    for key in seen.keys:
        listed, found = (ask(seen.world.engine, key) for ask in (views.listed, views.by_key))
        if len(listed) == 1 and listed != found:
            return f"{key.trace_id[:2]} is listed as {listed}, and found as {found}"
    return ""


def never_less(seen: Seen) -> str:
    """I2: a run never shows fewer spans than before, unless spans expired."""
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
    """I5: the feed announces each version to a follower once."""
    for key, versions in seen.follower.told.items():
        if len(versions) > len(set(versions)):
            return f"{key.trace_id[:2]} was told as {versions}"
    return ""


def told_is_stored(seen: Seen) -> str:
    """I5: a run that the feed announces can be read, in that version or a newer one."""
    for row in seen.world.engine.rows("trajectory_changes"):
        stored = views.head(seen.world.engine, row.key)
        if stored is None or stored.version < row.version:
            is_now = stored and stored.version
            return f"{row.key.trace_id[:2]} was told in version {row.version}, and is {is_now}"
    return ""


def as_one_extractor(seen: Seen) -> str:
    """R1: except for its version, a document is as one extractor builds it from all spans."""
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
    """R3: nothing is left to build, for running extractors and for those that start now.

    The exception is a whole build that was recorded before one of its requests was visible: the
    rolling comparison of all traces builds that trace once more, hours later.
    """
    if due := [
        change for change in unextracted(seen.world.engine) if not seen.is_known(change.key)
    ]:
        return f"not extracted: {due}"
    busy = [n for n, one in enumerate(seen.world.extractors) if not one.is_idle]
    return f"extractors {busy} are not idle" if busy else ""


def newest_is_told(seen: Seen) -> str:
    """R4: the feed announced the stored version, unless the spans expired before that."""
    for key in seen.keys - seen.world.expired:
        row = views.head(seen.world.engine, key)
        if row is not None and row.version not in seen.follower.told.get(key, ()):
            return f"version {row.version} of {key.trace_id[:2]} was not told"
    return ""


EVER: Mapping[str, Invariant] = {
    one.__name__: one
    for one in (
        one_place,
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
BROKEN: Mapping[str, str] = {}
"""The invariants that do not hold yet, and why."""
