"""Creates server accounts that may only read the public views, and secures these views.

On a server the views read their tables with the rights of the keeper's account, and leave out
deleted rows, so such an account needs only a right on the view.
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

    from spanloom.storage.engine.connection import Connection

PUBLIC = {
    "v_trajectories": "trajectory_list",
    "v_steps": "trajectory_list",
    "v_documents": "trajectories",
    "v_spans": "otel_traces",
}
"""The public views, each with the table that it reads.

``v_annotations`` and ``v_scores`` are not public, because they show what a blind queue withholds.
"""
LIMITS = (
    "readonly = 1, max_execution_time = 30 MIN 1 MAX 60 CHANGEABLE_IN_READONLY, "
    "max_memory_usage = 1073741824"
)
"""The settings of a reading account; tools such as Grafana set their own time limit."""
_DEFINER = re.compile(r"\bDEFINER = (?:`([^`]+)`|(\S+)) SQL SECURITY DEFINER\b")


def secure_views(connection: Connection, before_each: Callable[[], None] = lambda: None) -> None:
    """Recreate the public views so that they use our account's rights and hide deleted rows.

    Views that already do both are unchanged. After a restore, or a change of the keeper's account,
    the account whose rights a view uses may no longer exist.
    """
    ((account, _),) = connection.rows("account")
    for view, table in PUBLIC.items():
        ((made, select, comment),) = connection.rows("view_text", view=view)
        lives = f" WHERE {row_lives(table)}"
        if definer_of(made) == account and "deleted_traces" in select:
            continue
        text = select if "deleted_traces" in select else select + lives
        before_each()
        connection.run(
            f"CREATE OR REPLACE VIEW {view} DEFINER = CURRENT_USER SQL SECURITY DEFINER AS {text} "
            f"COMMENT {quoted(comment)}"
        )


def definer_of(made: str) -> str:
    """Return the account whose rights a view uses; empty if it uses its reader's rights."""
    found = _DEFINER.search(made)
    return (found[1] or found[2]) if found else ""


def grants(database: str) -> Sequence[str]:
    """Return the grants of a reading account, without its name: ``GRANT SELECT ON d.v``."""
    return [f"GRANT SELECT ON {identifier(database)}.{view}" for view in PUBLIC]


def account_statements(name: str, password: str, database: str) -> Sequence[str]:
    """Return the statements that create an account for the public views only.

    They contain the SHA-256 of the password, because a server may log its statements.
    """
    digest = hashlib.sha256(password.encode()).hexdigest()
    named = identifier(name)
    make = f"CREATE USER {named} IDENTIFIED WITH sha256_hash BY '{digest}' SETTINGS {LIMITS}"
    return [make, *(f"{grant} TO {named}" for grant in grants(database))]


def create_account(connection: Connection, name: str, password: str) -> None:
    """Create an account that may only read the public views.

    Raises ``StoreUnavailableError``, for example if the name is taken. An account that could not
    get its rights is removed again.
    """
    ((_, database),) = connection.rows("account")
    secure_views(connection)
    make, *rights = account_statements(name, password, database)
    connection.run(make)
    try:
        for right in rights:
            connection.run(right)
    except SpanloomError:
        with suppress(SpanloomError):
            connection.run(f"DROP USER {identifier(name)}")
        raise
