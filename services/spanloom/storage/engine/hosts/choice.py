"""Chooses one of several hosts for a process, and changes to another when the host fails.

All connections of a process go to one host, so that each can read what another has stored. When
that host fails, all change to the next host that passes an examination. A host that failed, or did
not pass, is tried last for a while.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clickhouse_connect.driver.exceptions import ClickHouseError

from spanloom.core.errors import StoreUnavailableError
from spanloom.storage.engine.hosts.client import open_client, pool_of
from spanloom.storage.engine.hosts.refusals import EMPTY, WRONG_ACCOUNT, Refusal, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clickhouse_connect.driver.client import Client
    from urllib3 import PoolManager

    from spanloom.storage.engine.address import Host, Server, StoreAddress

LEAST_AWAY_S, MOST_AWAY_S = 10.0, 60.0
"""Range of the seconds for which an abandoned host is tried last; doubled until it is used."""
_AGAIN_S = 1.0
"""Seconds after which hosts are examined again if none can be used."""
LEAVE = frozenset(
    {
        81,  # UNKNOWN_DATABASE
        164,  # READONLY
        242,  # TABLE_IS_READ_ONLY
        243,  # NOT_ENOUGH_SPACE
        WRONG_ACCOUNT,
    }
)
"""The error codes on which the process changes to another host, which may work.

It also changes after an error without a code, which means that there was no response.
"""


class Kept(Protocol):
    """A value that is stored beyond the life of the process."""

    def read(self) -> object:
        """Return the last written value; ``None`` if there is none."""

    def write(self, value: object) -> None:
        """Replace the value."""


class Examination(Protocol):
    """Decides whether a host can be used."""

    may_upgrade: bool
    """Whether this process makes or upgrades the tables, so that it accepts older or no tables."""
    oldest: int | None
    """The last migration that this process requires; ``None`` if it needs all."""

    def keep_id(self, kept: Kept) -> None:
        """Accept only the store whose id is in ``kept``; if empty, write the first store's id."""

    def __call__(self, client: Client) -> str:
        """Return why the host cannot be used, phrased to follow its name; empty if it can."""


class Opened(NamedTuple):
    """A client, and the value of ``Hosts.turn`` when it was opened."""

    client: Client
    turn: int


class Hosts:
    """The hosts of one store, and the host that this process uses; threads may share it."""

    def __init__(
        self,
        address: StoreAddress,
        examination: Examination,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use the first reachable host that passes the examination.

        A store with one host is not examined, because there is no choice.
        """
        self._address = address
        self.examination = examination
        self._clock = clock
        self._lock = threading.RLock()
        self._host: Host | None = None
        self._turn = 0
        self._pool: PoolManager | None = None
        self._away: dict[Host, tuple[float, float]] = {}  # until when, and for how long
        self._refused: dict[Host, Refusal] = {}
        self._failed_at: float | None = None
        self._has_others = False

    @property
    def turn(self) -> int:
        """The number of changes of the host; clients opened at a lower number are out of date."""
        return self._turn

    @property
    def refusals(self) -> Sequence[Refusal]:
        """Why each host could not be used at the last attempt."""
        return tuple(self._refused.values())

    def connect(self) -> Opened:
        """Open a client to the host in use, or to the next usable one.

        Raises ``StoreUnavailableError``, with a sentence for each host, if none can be used, and
        ``StartupError`` if a file named in the ``StoreAddress`` cannot be read.
        """
        with self._lock:
            server = self._address.read()
            self._has_others = len(server.hosts) > 1
            if self._host is not None and self._host in server.hosts:
                try:
                    return Opened(self._open(server, self._host), self._turn)
                except (ClickHouseError, OSError) as error:
                    self._refused[self._host] = Refusal(self._host, reason_of(error))
                    self._leave()
            return self._choose(server)

    def note(self, turn: int, error: Exception) -> None:
        """Abandon the host if a client's error shows that it is unusable.

        Has no effect if the host has changed since ``turn``, when the client was opened.
        """
        code = getattr(error, "code", None)
        leave = LEAVE if self._has_others else {WRONG_ACCOUNT}  # the password may have changed
        if code is not None and code not in leave:
            return
        with self._lock:
            if turn == self._turn and self._host is not None:
                self._refused[self._host] = Refusal(self._host, reason_of(error))
                self._leave()

    def _choose(self, server: Server) -> Opened:
        now = self._clock()
        if self._failed_at is not None and now < self._failed_at + _AGAIN_S:
            raise StoreUnavailableError(self._sentence())
        in_turn = sorted(server.hosts, key=lambda h: self._until(h, now))
        opened = self._first(server, in_turn) or self._first_to_begin(server, in_turn)
        if opened:
            self._failed_at = None
            return opened
        self._failed_at = self._clock() if self._has_others else None
        raise StoreUnavailableError(self._sentence())

    def _first(
        self, server: Server, hosts: Sequence[Host], *, begins: bool = False
    ) -> Opened | None:
        return next(filter(None, (self._try(server, h, begins=begins) for h in hosts)), None)

    def _first_to_begin(self, server: Server, hosts: Sequence[Host]) -> Opened | None:
        """Use a host without tables if this process makes them and no host has them.

        A host that does not respond may have the tables, and making them elsewhere would start a
        second store.
        """
        reasons = {self._refused[host].reason for host in hosts}
        may_begin = self.examination.may_upgrade and reasons == {EMPTY}
        return self._first(server, hosts, begins=True) if may_begin else None

    def _try(self, server: Server, host: Host, *, begins: bool) -> Opened | None:
        self._drop_pool()
        try:
            client = self._open(server, host)
        except (ClickHouseError, OSError) as error:
            self._refuse(host, reason_of(error))
            return None
        reason = self.examination(client) if self._has_others else ""
        if reason and not (begins and reason == EMPTY):
            client.close()
            self._refuse(host, reason)
            return None
        self._host = host
        self._turn += 1
        self._refused.pop(host, None)
        return Opened(client, self._turn)

    def _open(self, server: Server, host: Host) -> Client:
        if self._pool is None:
            self._pool = pool_of(self._address, server, host)
        return open_client(self._address, server, host, self._pool)

    def _refuse(self, host: Host, reason: str) -> None:
        self._refused[host] = Refusal(host, reason)
        self._stay_away(host)

    def _leave(self) -> None:
        assert self._host is not None  # noqa: S101  # only a host in use is left
        self._stay_away(self._host)
        self._host = None
        self._turn += 1
        self._drop_pool()

    def _stay_away(self, host: Host) -> None:
        _, last_s = self._away.get(host, (0.0, 0.0))
        for_s = min(max(LEAST_AWAY_S, last_s * 2), MOST_AWAY_S)
        self._away[host] = (self._clock() + for_s, for_s)

    def _until(self, host: Host, now: float) -> float:
        """Return the time until which a host is tried last; 0 if there is none."""
        until, _ = self._away.get(host, (0.0, 0.0))
        return until if until > now else 0.0

    def _sentence(self) -> str:
        return "; ".join(map(str, self._refused.values())) or "no host can be used"

    def _drop_pool(self) -> None:
        if self._pool is not None:
            self._pool.clear()
            self._pool = None
