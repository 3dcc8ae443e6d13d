"""A store on a ClickHouse server of its own, which can be killed, restarted, set read-only."""

from __future__ import annotations

import signal
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from tests.support.started_server import StartedServer, started_server, url_of

from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ACCOUNT = "store"


class ServedStore(Protocol):
    """The operations on a store's server that tests use."""

    @property
    def address(self) -> str: ...

    @property
    def url(self) -> str: ...

    def url_at(self, address: str) -> str: ...

    def start(self) -> None: ...

    def end(self, number: signal.Signals = signal.SIGTERM) -> None: ...

    def set_read_only(self, *, to: bool) -> None: ...


class LibraryStore:
    """The database ``spanloom`` of a server from chdb-core's library; it retains its ports."""

    def __init__(self, server: StartedServer) -> None:
        self._server = server
        self.start, self.end = server.start, server.end

    @property
    def address(self) -> str:
        return self._server.address

    @property
    def url(self) -> str:
        return self.url_at(self.address)

    def url_at(self, address: str) -> str:
        """Return the store's URL at another address of the server."""
        return url_of(address, user=ACCOUNT)

    def set_read_only(self, *, to: bool) -> None:
        """Refuse or accept all changes; the server is killed and restarted for that."""
        self._server.set_accounts("", read_only=to)
        self._server.end(signal.SIGKILL)
        self._server.start()


@contextmanager
def served_store(place: Path, made: Path | None = None) -> Iterator[LibraryStore]:
    """Run a server over a directory, with a copy of the data in ``made`` if given."""
    with started_server(place, made=made) as server:
        yield LibraryStore(server)


def make_server(place: Path) -> None:
    """Create the data of a server whose database has the tables."""
    with served_store(place) as server:
        with closing(open_upkeep(server.url)) as upkeep:
            upkeep.migrate()
        server.end()
