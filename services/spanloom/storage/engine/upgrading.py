"""What a store keeps of an upgrade under way, and which releases may write to it.

While roles of the release before go on, ``schema_migrations`` lists nothing that they do not know:
migrations whose additions are made are in ``schema_expansions``. Views note in ``upgrade_writers``
each INSERT of an older release: an INSERT of this one names its migration (``WRITER``). All of
these are dropped when the upgrade is finished.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.upkeep import Older
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.storage.engine.lane import Lane

EXPANSIONS = "schema_expansions"
FACTS = "store_facts"
WRITERS = "upgrade_writers"
WATCHES = "upgrade_watches_"
"""Begins the names of the views that note who writes."""
WATCHED = (
    *("otlp_requests", "otlp_event_requests", "extraction_progress", "extraction_watermark"),
    *("trajectories", "text_watermark", "replays", "deletions", "access_keys", "scores"),
    *("annotations", "annotation_schemes", "annotation_queues", "annotation_queue_events"),
)
"""The tables to which roles write; who collects, extracts or indexes does it while it works."""


def listed_expansions(lane: Lane) -> Mapping[int, tuple[str, str]]:
    """Return number → (name, checksum) of migrations whose additions are made.

    To be read before the list of finished ones: at the end a migration is in both for a moment.
    """
    if not _has(lane, EXPANSIONS):
        return {}
    try:
        rows = list(lane.rows("applied_expansions"))
    except StoreUnavailableError:
        if _has(lane, EXPANSIONS):
            raise
        return {}  # finished in between
    return {number: (name, checksum) for number, name, checksum in rows}


def is_under_way(lane: Lane) -> bool:
    """Return whether roles of the release before may still work, to a role of this one."""
    return _has(lane, EXPANSIONS)


def writes_from(lane: Lane) -> str:
    """Return the migration that a release must know to write to the store; empty if unknown."""
    if not _has(lane, FACTS):
        return ""
    return next((str(value) for (value,) in lane.rows("store_fact", fact="writes_from")), "")


def permit_from(lane: Lane, migration: str) -> None:
    """Let only releases that know this migration write to the store."""
    if _has(lane, FACTS) and writes_from(lane) != migration:
        lane.run(query("record_fact"), fact="writes_from", value=migration)


def watch_writers(lane: Lane, number: int, before_each: Callable[[], None]) -> None:
    """Note from now on when a release writes that does not know the migration of this number."""
    before_each()
    lane.run(query("create_expansions"))
    before_each()
    lane.run(query("create_writers"))
    tables = [str(name) for name, _ in lane.rows("table_definitions", tables=list(WATCHED))]
    for table in tables:
        before_each()
        lane.run(
            query("watch_writers"),
            watch=f"{WATCHES}{number}_{table}",
            table=table,
            writers=WRITERS,
            newest=number,
        )


def forget_upgrade(lane: Lane, before_each: Callable[[], None]) -> None:
    """Drop what is needed only while an upgrade is under way."""
    for (watch,) in list(lane.rows("upgrade_watches", prefix=WATCHES)):
        before_each()
        lane.run(query("drop_watch"), name=watch)
    for table in (WRITERS, EXPANSIONS):
        before_each()
        lane.run(query("drop_upgrade"), name=table)


def older_releases(lane: Lane, number: int) -> Older:
    """Return when a release that does not know this migration last wrote, or was seen at work."""
    ((age_s,),) = lane.rows("expanded_age")
    found = [Older(float(age), name) for age, name in lane.rows("older_writers")]
    if _has(lane, "workers"):
        found += [
            Older(float(age), name) for age, name in lane.rows("older_workers", newest=number)
        ]
    # Since then at the latest: what was noted before may be of an upgrade that is over.
    return min([*found, Older(float(age_s), "")], key=lambda older: older.age_s)


def number_of(migration: str) -> int:
    """Return the number in a migration's name: 4 of ``0004_exact``; 0 without one."""
    found = re.match(r"\d+", migration)
    return int(found[0]) if found else 0


def _has(lane: Lane, table: str) -> bool:
    return any(lane.rows("table_definitions", tables=[table]))
