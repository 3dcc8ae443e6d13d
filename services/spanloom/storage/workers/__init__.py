"""Heartbeats of processes in a table of a ClickHouse server, by the server's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import NoHeartbeatError, StoreUnavailableError
from spanloom.core.ports.workers import LIVING_S, Worker
from spanloom.storage.engine.connect import connector_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.failures import ACCESS_DENIED
from spanloom.storage.engine.migrate import refuse_newer
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.settings import Setting

SETTINGS: Mapping[str, Setting] = {"max_execution_time": 5}


class ClickHouseWorkers:
    """``WorkerStore`` with its own connection, so that a heartbeat waits for no other statement."""

    def __init__(self, open_connection: Callable[[], Connection], me: str, release: str) -> None:
        """Set the id and the release of this process; the connection is opened at first use."""
        self._open_connection = open_connection
        self._me = me
        self._release = release
        self._opened: Connection | None = None
        self._only_reads = False

    def beat(self, kinds: Sequence[str], age_s: float) -> None:
        """See ``WorkerStore.beat``.

        With an account that may only read, nothing is written, because the server's refusal would
        look like that of a read-only host.
        """
        refuse_newer(self._connection())
        if self._only_reads:
            raise NoHeartbeatError("its account of the server may only read")
        try:
            self._record(kinds, age_s, is_over=False)
        except StoreUnavailableError as error:
            if getattr(error.__cause__, "code", None) != ACCESS_DENIED:
                raise
            raise NoHeartbeatError(str(error)) from error

    def end(self, kinds: Sequence[str], age_s: float) -> None:
        """See ``WorkerStore.end``."""
        self._record(kinds, age_s, is_over=True)

    def living(self) -> Sequence[Worker]:
        """See ``WorkerStore.living``."""
        rows = self._connection().rows("living", living_s=LIVING_S)
        return [Worker(kind, worker_id, release) for kind, worker_id, release in rows]

    def close(self) -> None:
        """See ``WorkerStore.close``."""
        if self._opened:
            self._opened.close()

    def _record(self, kinds: Sequence[str], age_s: float, *, is_over: bool) -> None:
        self._connection().run(
            query("beat"),
            id=self._me,
            kinds=",".join(kinds),
            release=self._release,
            age_ms=int(age_s * 1000),
            is_over=int(is_over),
        )

    def _connection(self) -> Connection:
        if self._opened is None:
            connection = self._open_connection()
            ((read_only,),) = connection.rows("read_only")
            self._only_reads, self._opened = bool(int(read_only)), connection
        return self._opened


def open_workers(url: Where, me: str, release: str) -> ClickHouseWorkers:
    """Return the heartbeats on a server that may not be reachable yet; ``me`` is our own id."""
    connect = connector_of(url)
    return ClickHouseWorkers(lambda: Connection(connect(), SETTINGS), me, release)
