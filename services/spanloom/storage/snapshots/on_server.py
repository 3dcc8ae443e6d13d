"""Backups of a ClickHouse server's database, made and restored by the server itself.

The server writes to its own disks, or to an object store, so a path is on the server's machine,
below ``backups.allowed_path`` of its configuration.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from spanloom.core.errors import SpanloomError, StartupError
from spanloom.core.secrets import hide, remember
from spanloom.storage.engine.connect import connector_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.settings import UPKEEP_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.parameters import Row

NAME = "spanloom"
"""The name of the database in a backup, independent of its name on the server."""
POLL_S = 0.2
UNDER_WAY = ("CREATING_BACKUP", "RESTORING")
ENDED = ("BACKUP_CREATED", "RESTORED")
_ENGINE = re.compile(
    r"(Disk|File|S3|AzureBlobStorage)\(\s*(?:\w+|'[^'\\]*')(?:\s*,\s*'[^'\\]*')*\s*\)"
)
_ARGUMENT = re.compile(r"'([^']*)'")
_MAY_SHOW = {"S3": 1, "AzureBlobStorage": 0}
"""The functions whose arguments may be secrets, and how many leading arguments are not."""
_NAME = re.compile(r"[^'\\]+")


class ServerCopy(NamedTuple):
    """A backup of a server's database."""

    place: str
    """The destination in ClickHouse's syntax, without secrets: ``File('monday')``."""
    files: int
    bytes: int


class ServerBackups:
    """Backs up and restores the database that a URL names; the account needs the right BACKUP."""

    def __init__(self, url: Where) -> None:
        """Connect; raises ``StartupError`` if the server does not respond."""
        self._connection = Connection(connector_of(url)(), UPKEEP_SETTINGS)
        (row,) = self._connection.rows("count_tables")
        self._own = "`" + row.own.replace("`", "``") + "`"
        self._tables = row.tables

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def back_up(self, to: str, report: Callable[[int], object] = lambda _: None) -> ServerCopy:
        """Make a backup and wait for its end; ``report`` is called with the bytes so far.

        Raises ``StartupError`` with the reason, for example that the destination has a backup.
        """
        place = place_of(to)
        return self._run(f"BACKUP DATABASE {self._own} AS {NAME} TO {place}", place, report)

    def restore(self, source: str, report: Callable[[int], object] = lambda _: None) -> ServerCopy:
        """Restore a backup into the database, which must have no tables.

        Raises ``StartupError`` with the reason.
        """
        if self._tables:
            raise StartupError(
                f"the database {self._own} has {self._tables} tables already: name a new one in "
                "--store-url, after CREATE DATABASE"
            )
        place = place_of(source)
        return self._run(f"RESTORE DATABASE {NAME} AS {self._own} FROM {place}", place, report)

    def _run(self, text: str, place: str, report: Callable[[int], object]) -> ServerCopy:
        own_id = str(uuid4())
        try:
            self._connection.run(f"{text} SETTINGS id = '{own_id}' ASYNC")
            state = self._end_of(own_id, report)
        except SpanloomError as error:
            raise StartupError(f"the server did not do it: {_first_line(str(error))}") from error
        if state.error:
            raise StartupError(f"the server did not do it: {hide(_first_line(state.error))}")
        if state.state not in ENDED:
            raise StartupError(f"the server did not do it: it ended as {state.state}")
        return ServerCopy(shown(place), state.files, state.bytes)

    def _end_of(self, own_id: str, report: Callable[[int], object]) -> Row:
        """Return the final state of a backup or restore.

        Raises ``StartupError`` if the server has forgotten it.
        """
        while True:
            state = next(self._connection.rows("backup_state", id=own_id), None)
            if state is None:
                raise StartupError("it knows nothing of it any more: it may have been restarted")
            report(state.bytes)
            if state.error or state.state not in UNDER_WAY:
                return state
            time.sleep(POLL_S)


def place_of(text: str) -> str:
    """Return a destination in ClickHouse's syntax; a plain name is a path on the server.

    Logs hide its secrets from now on. Raises ``StartupError`` for any other text.
    """
    text = text.strip()
    if _ENGINE.fullmatch(text):
        for secret in _secrets(text):
            remember(secret)
        return text
    if "(" not in text and _NAME.fullmatch(text):
        return f"File('{text}')"
    raise StartupError(
        f"{_begun(text)} is no place for a backup of a server: name a path of the server such as "
        "monday, or Disk('backups', 'monday'), or S3(collection, 'monday')"
    )


def shown(place: str) -> str:
    """Return a destination without secrets: ``S3('https://…', …)``."""
    if not _secrets(place):
        return place
    engine, _, rest = place.partition("(")
    first = [f"'{text}'" for text in _ARGUMENT.findall(rest)[: _MAY_SHOW[engine]]]
    return f"{engine}({', '.join([*first, '…'])})"


def _secrets(place: str) -> Sequence[str]:
    """Return the arguments that may be secrets; none for a named collection of the server."""
    engine, _, rest = place.partition("(")
    if engine not in _MAY_SHOW or not rest.lstrip().startswith("'"):
        return ()
    return _ARGUMENT.findall(rest)[_MAY_SHOW[engine] :]


def _begun(text: str) -> str:
    """Return the part of a text before its arguments, which may be secrets."""
    engine, bracket, _ = text.partition("(")
    return f"{engine}(…)" if bracket else repr(text)


def _first_line(error: str) -> str:
    """Return the message of a server's error, without the stack trace that may follow."""
    return error.strip().split("\n", 1)[0].split(", Stack trace", 1)[0].removesuffix(".")
