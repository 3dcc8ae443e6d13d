"""Connections by URL: ``chdb:///path`` or ``clickhouse://user:password@host:8123/database``."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode, urlsplit

import clickhouse_connect
from clickhouse_connect import common
from clickhouse_connect.driver.exceptions import ClickHouseError

from spanloom.core.errors import StartupError
from spanloom.storage.engine.embedded import connect_embedded
from spanloom.storage.engine.lane import READER_SETTINGS, Lane
from spanloom.storage.engine.migrate import check_schema

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client


_DATABASE = "default"
_EVERY_STORE_HAS = "schema_migrations.sql"
_UUID = re.compile(r"\bUUID '([0-9a-f-]{36})'")


def mend_links(store: Path) -> None:
    """Restore links that were lost in a copy; a new store, or one with correct links, is untouched.

    Raises ``StartupError`` if it is unclear which of two databases is the right one.
    """
    link = store / "metadata" / _DATABASE
    databases = [file.parent for file in (store / "store").glob(f"*/*/{_EVERY_STORE_HAS}")]
    if not databases or (link.is_symlink() and link.resolve() in map(Path.resolve, databases)):
        return
    if len(databases) > 1:
        found = ", ".join(sorted(str(database) for database in databases))
        raise StartupError(
            f"the store {store} was copied without its symbolic links and holds several databases "
            f"({found}): copy it again with `cp -a`, or make {link} a link to the right one"
        )
    _remove_copies(store / "data" / _DATABASE, databases[0])
    _replace(link, databases[0])


def _remove_copies(tables: Path, database: Path) -> None:
    """Remove what is in the place of a table's link; the engine creates the link again."""
    for definition in database.glob("*.sql"):
        place = tables / definition.stem
        uuid = _UUID.search(definition.read_text())
        if uuid and (database.parents[1] / uuid[1][:3] / uuid[1]).is_dir():
            _remove(place)


def _replace(link: Path, database: Path) -> None:
    _remove(link)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(f"../store/{database.parent.name}/{database.name}", target_is_directory=True)


def _remove(place: Path) -> None:
    """Remove a link or a directory, if there is one."""
    if place.is_symlink():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)


Connect = Callable[[], "Client"]

ENGINE_OPTIONS = {"memory_worker_period_ms": 500}
"""Options of the embedded engine as a whole. It checks the memory of the process at this interval
instead of twenty times a second, which was a tenth of the CPU time of an idle service."""


def connector_of(url: str) -> Connect:
    """Return a function that opens connections to a store.

    It raises ``StartupError`` with one line, without the password, if the store cannot be opened;
    so does this function if the URL is invalid.
    """
    connect = _connector(url)
    common.set_setting("autogenerate_session_id", False)  # lanes hold no sessions
    return lambda: _open(connect, url)


def is_embedded(url: str) -> bool:
    """Return whether the URL names an embedded store."""
    return urlsplit(url).scheme == "chdb"


def open_lane(url: str, oldest: int | None = None) -> Lane:
    """Open one lane of a store whose schema is up to date, or has the migrations up to ``oldest``.

    Raises as ``open_store`` does.
    """
    lane = Lane(connector_of(url)())
    check_schema(lane, migrate_command(url), oldest)
    return lane


def open_unchecked(url: str) -> Lane:
    """Open one read-only lane of a store with any schema; raises ``StartupError``."""
    return Lane(connector_of(url)(), READER_SETTINGS)


def store_path(url: str) -> Path:
    """Return the directory of an embedded store: ``/data/store`` of ``chdb:///data/store``."""
    return Path(unquote(urlsplit(url).path))


def migrate_command(url: str) -> str:
    """Return the command that brings this store's schema up to date, without its password."""
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if parts.scheme == "chdb" and path.name == "store":
        return f"spanloom migrate --data-dir {path.parent}"
    return f"spanloom migrate --store-url {_without_password(url)}"


def _connector(url: str) -> Connect:
    parts = urlsplit(url)
    if parts.scheme == "chdb" and not parts.netloc and parts.path:
        return lambda: _connect_embedded(unquote(parts.path))
    if parts.scheme in ("clickhouse", "clickhouses") and parts.hostname:
        return lambda: clickhouse_connect.get_client(
            host=parts.hostname,
            port=parts.port or (8443 if parts.scheme == "clickhouses" else 8123),
            secure=parts.scheme == "clickhouses",
            username=unquote(parts.username or "default"),
            password=unquote(parts.password or ""),
            database=unquote(parts.path.strip("/")) or None,
        )
    raise StartupError(
        f"{_without_password(url)!r} is no store: use chdb:///path or "
        "clickhouse://user:password@host:8123/database"
    )


def _connect_embedded(path: str) -> Client:
    mend_links(Path(path))
    return connect_embedded(f"{path}?{urlencode(ENGINE_OPTIONS)}")


def _open(connect: Connect, url: str) -> Client:
    try:
        return connect()
    except (ClickHouseError, OSError) as error:
        raise StartupError(
            f"cannot open the store {_without_password(url)}: {_why(url, error)}"
        ) from error


def _why(url: str, error: Exception) -> str:
    """Return the reason in words; the embedded engine reports none when its path is in use."""
    text = str(error).split("\n", 1)[0][:300]
    if "EmbeddedServer" not in text:
        return text
    path = store_path(url)
    return (
        f"another process has {path} open (one at a time may), or it cannot be written, or its "
        "files are damaged: then restore a backup"
    )


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return url.replace(f":{parts.password}@", ":…@") if parts.password else url
