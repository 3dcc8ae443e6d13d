"""A list of keys on a terminal, and each as JSON for a pipe; never a secret."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from spanloom.core.model.access import ALL_PROJECTS
from spanloom.core.showing.values import age, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from spanloom.core.model.access import Key


def render_keys(keys: Sequence[Key], now_ns: int) -> RenderableType:
    """Return the keys as a table, or what to do where there are none."""
    if not keys:
        return "No keys: on loopback everything is open. `spanloom keys create` makes one."
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("id", "project", "scopes", "made", "last used", "state"):
        table.add_column(title, no_wrap=title != "project")
    for key in keys:
        table.add_row(
            key.id,
            Text("all projects", "magenta")
            if key.project == ALL_PROJECTS
            else Text(printable(key.project)),
            ",".join(sorted(key.scopes)),
            _ago(key.created_ns, now_ns),
            _ago(key.used_ns, now_ns),
            _state(key, now_ns),
        )
    return table


def key_as_json(key: Key) -> dict[str, object]:
    """Return what may be shown of a key; absent times are null, the others RFC 3339."""
    return {
        "id": key.id,
        "project": None if key.project == ALL_PROJECTS else key.project,
        "scopes": sorted(key.scopes),
        "created_at": _rfc3339(key.created_ns),
        "expires_at": _rfc3339(key.expires_ns),
        "revoked_at": _rfc3339(key.revoked_ns),
        "last_used_at": _rfc3339(key.used_ns),
    }


def _state(key: Key, now_ns: int) -> Text:
    if key.revoked_ns:
        return Text("revoked", "red")
    if not key.is_usable(now_ns):
        return Text("expired", "red")
    if key.expires_ns:
        return Text(f"until {_rfc3339(key.expires_ns)}", "green")
    return Text("usable", "green")


def _ago(at_ns: int, now_ns: int) -> str:
    return age((now_ns - at_ns) // 1_000_000) if at_ns else "never"


def _rfc3339(at_ns: int) -> str | None:
    if not at_ns:
        return None
    return datetime.fromtimestamp(at_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")
