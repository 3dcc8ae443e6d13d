"""Connections to a store: to the engine in this process, or to a host of a server."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode, urlsplit

from clickhouse_connect import common
from clickhouse_connect.driver.exceptions import ClickHouseError

from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.core.secrets import hide
from spanloom.storage.engine.address import address_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.embedded import connect_embedded
from spanloom.storage.engine.examination import Examination
from spanloom.storage.engine.hosts.choice import Hosts
from spanloom.storage.engine.hosts.refusals import examined
from spanloom.storage.engine.hosts.roaming import RoamingClient
from spanloom.storage.engine.migrate import check_schema
from spanloom.storage.engine.settings import READER_SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.address import StoreAddress, Where
    from spanloom.storage.engine.hosts.choice import Kept
    from spanloom.storage.engine.hosts.refusals import Refusal

_DATABASE = "default"
_EVERY_STORE_HAS = "schema_migrations.sql"
_UUID = re.compile(r"\bUUID '([0-9a-f-]{36})'")


def mend_links(store: Path) -> None:
    """Restore the symbolic links of a store that was copied without them.

    A new store, or a store with correct links, is unchanged. Raises ``StartupError`` if it is
    unclear which of several databases is current.
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
    """Remove the directories that a copied store has in place of links to tables.

    The engine makes the links again.
    """
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

_PAUSE = "background_{}processing_pool_task_sleep_seconds_when_no_work_{}"
_PAUSES = {"multiplier": 2, "max": 10}
ENGINE_OPTIONS = {
    "memory_worker_period_ms": 500,
    **{
        _PAUSE.format(pool, name): value
        for pool in ("", "move_", "streaming_")
        for name, value in _PAUSES.items()
    },
}
"""Options of the embedded engine, for less CPU time of an idle service.

It measures the memory of the process every 500 ms instead of every 50 ms. A table without work
looks for parts to merge, move or stream after 0.1 s, 0.2 s, and so on up to 10 s, instead of 10 %
later each time; an INSERT makes it look at once. With 50 tables that saves half of the time.
"""


def connector_of(where: Where) -> Connect:
    """Return a function that opens connections to a store.

    Raises ``StartupError`` if the URL is invalid; the returned function raises it if the store
    cannot be opened. Its message is one line without the password.
    """
    address = address_of(where)
    connect = _connector(address)
    common.set_setting("autogenerate_session_id", False)  # no session per connection
    return lambda: _open(connect, address)


def is_embedded(where: Where) -> bool:
    """Return whether ``where`` names an embedded store."""
    return address_of(where).is_embedded


def open_connection(where: Where, oldest: int | None = None) -> Connection:
    """Open one connection to a store whose schema has all migrations, or those up to ``oldest``.

    Raises the same errors as ``open_store``.
    """
    accept_older(where, oldest)
    connection = Connection(connector_of(where)())
    check_schema(connection, migrate_command(where), oldest)
    return connection


def open_unchecked(where: Where) -> Connection:
    """Open one read-only connection to a store with any schema; raises ``StartupError``.

    It chooses its host independently, because the other connections of the process require more of
    a host.
    """
    address = address_of(where)
    hosts = None if address.is_embedded else Hosts(address, Examination(takes_any_schema=True))
    return Connection(_open(_connector(address, hosts), address), READER_SETTINGS)


def store_path(where: Where) -> Path:
    """Return the directory of an embedded store: ``/data/store`` of ``chdb:///data/store``."""
    return address_of(where).path


def migrate_command(where: Where) -> str:
    """Return the command, without the password, that migrates this store to the current schema."""
    address = address_of(where)
    if address.is_embedded and address.path.name == "store":
        return f"spanloom migrate --data-dir {address.path.parent}"
    return f"spanloom migrate {address.options}"


@cache
def hosts_of(address: StoreAddress) -> Hosts:
    """Return the hosts of a server, which all connections of this process share."""
    return Hosts(address, Examination())


def make_tables(where: Where) -> None:
    """Let this process use a host with tables of an older release, or with no tables.

    A host without tables is used only if no host has tables.
    """
    address = address_of(where)
    if not address.is_embedded:
        hosts_of(address).examination.may_upgrade = True


def accept_older(where: Where, oldest: int | None) -> None:
    """Let this process use a host whose tables have at least the migrations up to ``oldest``.

    Each connection still checks its own requirements.
    """
    address = address_of(where)
    if oldest is not None and not address.is_embedded:
        hosts_of(address).examination.oldest = oldest


def keep_store_id(where: Where, kept: Kept) -> None:
    """Restrict this process to the store whose id is in ``kept``; if that is empty, write the id.

    Has an effect only for a server with several hosts, because a single host is not examined.
    """
    address = address_of(where)
    if not address.is_embedded:
        hosts_of(address).examination.keep_id(kept)


def refused_hosts(where: Where) -> Sequence[Refusal]:
    """Examine every host of a server; return a reason for each that cannot be used."""
    address = address_of(where)
    if address.is_embedded or len(address.read().hosts) == 1:
        return ()
    return tuple(examined(address, Examination()))


def _connector(address: StoreAddress, hosts: Hosts | None = None) -> Connect:
    parts = urlsplit(address.url)
    if parts.scheme == "chdb" and not parts.netloc and parts.path:
        return lambda: _connect_embedded(str(address.path))
    address.read()
    # ``RoamingClient`` has every method of ``Client`` that a connection calls.
    return lambda: cast("Client", RoamingClient(hosts or hosts_of(address)))


def _connect_embedded(path: str) -> Client:
    mend_links(Path(path))
    return connect_embedded(f"{path}?{urlencode(ENGINE_OPTIONS)}")


def _open(connect: Connect, address: StoreAddress) -> Client:
    try:
        return connect()
    except (ClickHouseError, OSError, StoreUnavailableError) as error:
        raise StartupError(f"cannot open the store {address}: {_why(address, error)}") from error


def _why(address: StoreAddress, error: Exception) -> str:
    """Return why opening failed; likely causes if the embedded engine does not report why."""
    text = hide(str(error)).split("\n", 1)[0][:1000]
    if "EmbeddedServer" not in text:
        return text
    return (
        f"another process has {address.path} open (one at a time may), or it cannot be written, or "
        "its files are damaged: then restore a backup"
    )
