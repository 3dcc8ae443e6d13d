"""Checks of the API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.doctor.check import Verdict, ok, problem, warning
from spanloom.doctor.units import count, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.access import Key
    from spanloom.doctor.facts import ExposureFacts

EXPIRES_SOON_NS = 7 * 86_400 * 10**9
UNUSED_NS = 30 * 86_400 * 10**9
_NS = 10**9


def keys(keys: Sequence[Key], exposure: ExposureFacts, now_ns: int) -> Verdict:
    """Problem without keys on an address that others can reach; warning with --insecure."""
    usable = [key for key in keys if key.is_usable(now_ns)]
    if keys and not usable:
        return warning("no key opens anything: all are revoked or have expired", _create("ingest"))
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
        return ok("no key lies unused for more than 30 days")
    return warning(
        f"never used: {', '.join(unused)}", f"`spanloom keys revoke {unused[0]}` if nobody needs it"
    )


def _expiry(key: Key, now_ns: int) -> str:
    left_s = (key.expires_ns - now_ns) / _NS
    return f"{key.id} " + (f"expires in {span(left_s)}" if left_s > 0 else "has expired")


def _create(scopes: str) -> str:
    return f"`spanloom keys create --project NAME --scopes {scopes}`"
