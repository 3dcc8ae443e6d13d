"""The rights of accounts of a server: which each role needs, and a sentence for one that it lacks.

A view that decodes requests reads its source with the rights of whoever inserts, so ``collect`` has
to read what it fills. The targets of such views are not asked for.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import StartupError
from spanloom.storage.engine.parameters import identifier
from spanloom.storage.engine.statements import migrations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spanloom.storage.engine.lane import Lane

EVERY = "*"
"""Every table of the database."""


class Right(NamedTuple):
    """What an account may do with a table, as ``GRANT`` names both."""

    privilege: str
    table: str
    use: str
    """What it is needed for."""


def _all(privileges: Sequence[str], tables: Sequence[str], use: str) -> Iterator[Right]:
    return (Right(privilege, table, use) for table in tables for privilege in privileges)


RIGHTS: Mapping[str, Sequence[Right]] = {
    "collect": (
        *_all(["INSERT", "SELECT"], ["otlp_requests", "otlp_event_requests"], "to store spans"),
        *_all(["SELECT"], ["otel_traces", "genai_events"], "to store spans"),
        *_all(["SELECT"], ["trace_changes"], "to know how much a project has stored"),
        *_all(["SELECT", "INSERT"], ["access_keys"], "to know keys, and note their use"),
        *_all(["SELECT"], ["schema_migrations", "schema_expansions"], "to begin"),
        *_all(["SELECT"], ["store_facts", "deletions"], "to begin"),
        *_all(["INSERT"], ["workers"], "to show that it lives"),
    ),
    "extract": tuple(_all(["SELECT", "INSERT"], [EVERY], "to read spans and store trajectories")),
    "api": (
        *_all(["SELECT"], [EVERY], "to answer readers"),
        *_all(["INSERT"], ["workers"], "to show that it lives"),
    ),
    "keeper": (
        *_all(["SELECT", "INSERT"], [EVERY], "to bring the tables up to date"),
        *_all(
            ["CREATE TABLE", "DROP TABLE", "ALTER TABLE"],  # views included
            [EVERY],
            "to bring the tables up to date",
        ),
    ),
}
"""What each role needs; ``api`` also needs ``INSERT`` where readers annotate, delete or replay.

``TABLE ENGINE ON *``, which the keeper needs where the configuration of the server asks for it, is
not here: whether it does cannot be looked up. It is said when it is missed.
"""


class MissingRightError(StartupError):
    """The account of a role lacks a right; the message has the ``GRANT`` for it."""


def sentence(account: str, privilege: str, place: str) -> str:
    """Return what to say of an account that lacks a right, with the statement that gives it."""
    named = f"`{account}`" if not account.isidentifier() else account
    grant = f"GRANT {privilege} ON {place} TO {named}"
    return f"the account {account} lacks a right that it needs: {grant}"


def require_rights(lane: Lane, role: str) -> None:
    """Raise ``MissingRightError`` with one sentence if the account of a lane lacks a right."""
    ((account, database),) = lane.rows("account")
    for privilege, table, _ in RIGHTS[role]:
        if not _has(lane, database, privilege, table):
            place = EVERY if table == EVERY else identifier(table)
            raise MissingRightError(sentence(account, privilege, f"{identifier(database)}.{place}"))


def _has(lane: Lane, database: str, privilege: str, table: str) -> bool:
    """Return whether the account has a right, for every table also by a grant for each."""
    if _is_granted(lane, database, privilege, table):
        return True
    return table == EVERY and all(
        _is_granted(lane, database, privilege, one) for one in shipped_tables()
    )


def _is_granted(lane: Lane, database: str, privilege: str, table: str) -> bool:
    place = EVERY if table == EVERY else identifier(table)
    return lane.answer(f"CHECK GRANT {privilege} ON {identifier(database)}.{place}") == b"1"


_MADE = re.compile(r"CREATE (?:TABLE|VIEW) IF NOT EXISTS (\w+)")


@cache
def shipped_tables() -> Collection[str]:
    """Return the names of the tables and views that the migrations make."""
    return sorted({name for m in migrations() for name in _MADE.findall(m.text)})


ACCESS_DENIED = 497
_DENIED = re.compile(
    r"(?P<account>\S+): Not enough privileges\. To execute this query, it's necessary to have the "
    r"grant (?P<privilege>.+?) ON (?P<place>[^\s:]+?)(?: WITH GRANT OPTION)?\.?(?=[\s:(]|$)"
)


def denied(text: str) -> str:
    """Return the sentence for an error of a server that denies access; empty for another text."""
    found = _DENIED.search(text)
    return sentence(found["account"], found["privilege"], found["place"]) if found else ""
