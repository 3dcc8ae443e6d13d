"""Checks of the store and its keys: schema, parts, mutations, failed traces, expiry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.diagnosis import MAX_QUARANTINED, MAX_UNPRICED
from spanloom.doctor.check import Verdict, count, ok, problem, size, skipped, span, warning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Key
    from spanloom.core.model.diagnosis import StoreState
    from spanloom.core.model.upkeep import Older
    from spanloom.doctor.facts import ExposureFacts


SKEW_S = 2
FAR_SKEW_S = 300
_NS = 10**9
_HIDDEN = "the store's account may not see it"


def store(store: StoreState) -> Verdict:
    """Problem if the store cannot be opened or queried; shows the engine's version and size."""
    taken = "" if store.parts_bytes is None else f", {size(store.parts_bytes)} in its tables"
    return ok(f"ClickHouse {store.engine}{taken}")


def hosts(store: StoreState) -> Verdict:
    """Warning if a host in the store's list cannot be used; the other hosts are used."""
    if store.refused_hosts:
        return warning(
            "; ".join(store.refused_hosts),
            "repair or remove them: they cannot take over when the host in use fails",
        )
    return ok("all hosts can be used")


def schema(store: StoreState) -> Verdict:
    """Problem if a newer Spanloom, or one before 0.1.0, made the tables; warning if older."""
    applied, shipped = store.applied, store.shipped
    if store.has_lost_ledger:
        return problem(
            "it has tables but no list of applied schema files: no process can use it",
            "check the disk's health, and restore a backup: `spanloom restore`",
        )
    if store.is_before_baseline:
        return problem(
            "it was made by a Spanloom before 0.1.0: no process of this version can use it",
            "export its runs with the version that made it (`spanloom export --format otlp`), and "
            "import them (`spanloom import`) into an empty data directory or database",
        )
    upgrade = "`pip install --upgrade spanloom`, or use the release that wrote the store"
    if newer := [file.name for number, file in applied.items() if number not in shipped]:
        return problem(f"it has {newer[-1]}, which this version does not know", upgrade)
    begun = {number for number, file in applied.items() if not file.checksum}
    if changed := [
        file.name
        for number, file in applied.items()
        if number not in begun and file.checksum != shipped[number].checksum
    ]:
        return problem(f"it has applied another text of {', '.join(changed)}", upgrade)
    if missing := [f.name for n, f in shipped.items() if n not in applied or n in begun]:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        return warning(f"it lacks {missing[0]}{more}", f"`{store.migrate_command}`")
    newest = shipped[max(shipped)].name
    return ok(f"all migrations are applied, up to {newest}{_upgrade(store.upgrade)}")


def _upgrade(older: Older | None) -> str:
    """Return an addition to the summary if processes of older releases may be running; else ""."""
    if older is None:
        return ""
    last = f"the last sign of one was {older.name} {span(older.age_s)} ago"
    return f"; older releases may still run: {last if older.name else 'none was seen'}"


def store_clock(store: StoreState, now_ns: int) -> Verdict:
    """Warning if the store's clock differs from this machine's by 2 s, problem by 5 minutes."""
    skew_s = (store.clock_ns - now_ns) / _NS
    summary = f"the store's clock is {span(abs(skew_s))} {'ahead' if skew_s > 0 else 'behind'}"
    if abs(skew_s) < SKEW_S:
        return ok(summary)
    todo = "let a time service (NTP) keep the clocks of both machines"
    return (problem if abs(skew_s) >= FAR_SKEW_S else warning)(summary, todo)


def detached_parts(store: StoreState) -> Verdict:
    """Problem if the engine has detached parts: their rows are missing in all answers."""
    if store.detached is None:
        return skipped(_HIDDEN)
    if not store.detached:
        return ok("none")
    first = store.detached[0]
    shown = ", ".join(f"{p.table}/{p.name} ({p.reason or 'by hand'})" for p in store.detached[:3])
    return problem(
        f"{count(len(store.detached), 'part')}, {size(sum(p.size for p in store.detached))}: "
        f"{shown}",
        "check the disk's health, restore a copy, or send the spans again; if they are not "
        f"needed, remove the folder detached/{first.name} of the table {first.table}",
    )


def mutations(store: StoreState) -> Verdict:
    """Problem if a deletion or another change of stored rows fails; warning after an hour."""
    if store.mutations is None:
        return skipped(_HIDDEN)
    if failed := [mutation for mutation in store.mutations if mutation.error]:
        return problem(
            f"{count(len(failed), 'change')} of stored rows fail: {failed[0].table}: "
            f"{failed[0].error}",
            "free space if the disk is full; see `system.mutations` of the store",
        )
    oldest_s = max((mutation.seconds for mutation in store.mutations), default=0)
    summary = f"{count(len(store.mutations), 'change')} of stored rows under way"
    if oldest_s > 3_600:
        return warning(f"{summary}, the oldest for {span(oldest_s)}", "see the load of the store")
    return ok(summary)


def deletions(store: StoreState) -> Verdict:
    """Warning if the keeper has not removed rows of deleted traces; no reader sees them."""
    if store.deleted_rows is None:
        return skipped("the store's tables are of another version, or do not answer in time")
    if not store.deleted_rows:
        return ok("no row of a deleted trace is left")
    return warning(
        f"{count(store.deleted_rows, 'row')} of deleted traces are still in the tables",
        "the keeper removes them within seconds: run `spanloom serve`, or `spanloom keeper` on a "
        "server",
    )


def quarantine(store: StoreState) -> Verdict:
    """Warning if traces cannot be built: their spans are stored, their trajectory is missing."""
    if store.quarantined is None:
        return skipped("the store's tables are of another version")
    if not store.quarantined:
        return ok("none")
    first, number = store.quarantined[0], len(store.quarantined)
    return warning(
        f"{'at least ' if number >= MAX_QUARANTINED else ''}{count(number, 'trace')}; "
        f"{first.trace_id} of {first.project} after {first.attempts} attempts: {first.error}",
        "they are tried again by themselves; after an upgrade `spanloom replay` tries at once",
    )


NEEDED = ("collect", "extract", "keeper")
"""Kinds of work that some process has to do at all times if the store is a ClickHouse server."""


def workers(store: StoreState) -> Verdict:
    """Warning if a server has no collector, extractor or keeper; shows live processes."""
    if store.is_embedded:
        return skipped("one process does all work on the embedded store")
    if store.living is None:
        return skipped("the store's tables are of another version")
    alive = ", ".join(f"{number} {kind}" for kind, number in sorted(store.living.items()))
    if missing := [kind for kind in NEEDED if not store.living.get(kind)]:
        return warning(
            f"no heartbeat of {', '.join(missing)}; alive: {alive or 'nobody'}",
            f"`spanloom {missing[0]}` on a machine that reaches the store",
        )
    return ok(f"alive: {alive}")


NAMED_MODELS = 10
"""Models that are named with their number of calls; further models are only counted."""


def prices(store: StoreState) -> Verdict:
    """Warning if models without a price were called in the last 30 days: runs then have no cost."""
    if store.unpriced is None:
        return skipped("the store's tables are of another version")
    if not store.unpriced:
        return ok("every model that was called in the last 30 days has a price")
    named = [
        f"{model.name or '(no name)'} ({count(model.calls, 'call')} in {count(model.runs, 'run')})"
        for model in store.unpriced[:NAMED_MODELS]
    ]
    if more := len(store.unpriced) - len(named):
        named.append(f"{'at least ' if len(store.unpriced) >= MAX_UNPRICED else ''}{more} more")
    return warning(
        f"without a price: {', '.join(named)}",
        "add them to a file of prices (`spanloom serve --prices-file`), then `spanloom replay`",
    )


EXPIRES_SOON_NS = 7 * 86_400 * 10**9
UNUSED_NS = 30 * 86_400 * 10**9


def keys(keys: Sequence[Key], exposure: ExposureFacts, now_ns: int) -> Verdict:
    """Problem if there are no keys on a non-loopback address; warning with --insecure."""
    usable = [key for key in keys if key.is_usable(now_ns)]
    if keys and not usable:
        return warning("no key can be used: all are revoked or have expired", _create("ingest"))
    if keys or exposure.is_loopback:
        open_to = "" if keys else ": every process of this machine may read and write"
        return ok(f"{count(len(usable), 'usable key')}, listening on {exposure.host}{open_to}")
    summary = f"no keys, and {exposure.host} is reachable from other machines"
    return (warning if exposure.is_insecure else problem)(summary, _create("ingest,read"))


def expiring_keys(keys: Sequence[Key], now_ns: int) -> Verdict:
    """Warning if a key has expired, or will within 7 days."""
    alive = [key for key in keys if key.expires_ns and not key.revoked_ns]
    due = [key for key in alive if key.expires_ns < now_ns + EXPIRES_SOON_NS]
    if not due:
        return ok("no key expires within 7 days")
    return warning(
        ", ".join(_expiry(key, now_ns) for key in due),
        f"{_create(','.join(sorted(due[0].scopes)))} in its place, then "
        f"`spanloom keys revoke {due[0].id}`",
    )


def unused_keys(keys: Sequence[Key], now_ns: int) -> Verdict:
    """Warning if a key older than 30 days was never used."""
    usable = [key for key in keys if key.is_usable(now_ns) and not key.used_ns]
    unused = [key.id for key in usable if key.created_ns < now_ns - UNUSED_NS]
    if not unused:
        return ok("no key has been unused for more than 30 days")
    return warning(
        f"never used: {', '.join(unused)}", f"`spanloom keys revoke {unused[0]}` if nobody needs it"
    )


def _expiry(key: Key, now_ns: int) -> str:
    left_s = (key.expires_ns - now_ns) / _NS
    return f"{key.id} " + (f"expires in {span(left_s)}" if left_s > 0 else "has expired")


def _create(scopes: str) -> str:
    return f"`spanloom keys create --project NAME --scopes {scopes}`"
