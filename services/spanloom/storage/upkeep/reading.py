"""Accounts of a server that read the public views alone, and the views for them.

A view of a server reads its tables with the rights of the keeper's account, and leaves out what was
deleted, so that a reader needs a right for the view alone.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from spanloom.core.errors import SpanloomError
from spanloom.storage.deletions.hiding import row_lives
from spanloom.storage.engine.parameters import identifier, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.storage.engine.lane import Lane

PUBLIC = {
    "v_trajectories": "trajectory_list",
    "v_steps": "trajectory_list",
    "v_documents": "trajectories",
    "v_spans": "otel_traces",
}
"""View → the table that it shows. ``v_annotations`` and ``v_scores`` are not public: they show what
a blind queue withholds."""
LIMITS = (
    "readonly = 1, max_execution_time = 30 MIN 1 MAX 60 CHANGEABLE_IN_READONLY, "
    "max_memory_usage = 1073741824"
)
"""The settings of an account that reads; tools such as Grafana's set their own time limit."""
_DEFINER = re.compile(r"\bDEFINER = (?:`([^`]+)`|(\S+)) SQL SECURITY DEFINER\b")


def secure_views(lane: Lane, before_each: Callable[[], None] = lambda: None) -> None:
    """Have the public views read with our rights, without deleted rows; those that do stay.

    The account whose rights a view has may be gone, after a restore or a change of the keeper's.
    """
    ((account, _),) = lane.rows("account")
    for view, table in PUBLIC.items():
        ((made, select, comment),) = lane.rows("view_text", view=view)
        lives = f" WHERE {row_lives(table)}"
        if definer_of(made) == account and "deleted_traces" in select:
            continue
        text = select if "deleted_traces" in select else select + lives
        before_each()
        lane.run(
            f"CREATE OR REPLACE VIEW {view} DEFINER = CURRENT_USER SQL SECURITY DEFINER AS {text} "
            f"COMMENT {quoted(comment)}"
        )


def definer_of(made: str) -> str:
    """Return the account with whose rights a view reads; empty if with those of its reader."""
    found = _DEFINER.search(made)
    return (found[1] or found[2]) if found else ""


def grants(database: str) -> Sequence[str]:
    """Return the rights of an account that reads, without its name: ``GRANT SELECT ON d.v``."""
    return [f"GRANT SELECT ON {identifier(database)}.{view}" for view in PUBLIC]


def account_statements(name: str, password: str, database: str) -> Sequence[str]:
    """Return the statements that make an account which reads the public views alone.

    They have the SHA-256 of the password: a server may log its statements.
    """
    digest = hashlib.sha256(password.encode()).hexdigest()
    named = identifier(name)
    make = f"CREATE USER {named} IDENTIFIED WITH sha256_hash BY '{digest}' SETTINGS {LIMITS}"
    return [make, *(f"{grant} TO {named}" for grant in grants(database))]


def create_account(lane: Lane, name: str, password: str) -> None:
    """Make an account that may read the public views alone.

    Raises ``StoreUnavailableError``, for example if there is one of this name. One that could not
    get its rights is removed again.
    """
    ((_, database),) = lane.rows("account")
    secure_views(lane)
    make, *rights = account_statements(name, password, database)
    lane.run(make)
    try:
        for right in rights:
            lane.run(right)
    except SpanloomError:
        with suppress(SpanloomError):
            lane.run(f"DROP USER {identifier(name)}")
        raise
