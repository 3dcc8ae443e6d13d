"""Chooses one of several hosts for a process, and changes to another when the host fails.

All connections of a process go to one host, so that each can read what another has stored. When
that host fails, all change to the next host that passes an examination. A host that failed, or did
not pass, is tried last for a while.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import clickhouse_connect
from clickhouse_connect.driver.exceptions import ClickHouseError
from clickhouse_connect.driver.httputil import check_env_proxy, get_pool_manager
from urllib3 import Timeout

from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.core.secrets import hide
from spanloom.storage.engine.failures import cause_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from clickhouse_connect.driver.client import Client
    from clickhouse_connect.driver.httpclient import HttpClient
    from urllib3 import PoolManager

    from spanloom.storage.engine.address import Host, Server, StoreAddress

SILENT_S = 30
"""Seconds without data until the client gives up a host; a working host reports progress."""
_SILENT_WITHOUT_PROGRESS_S = 300
MUTATION_S = 3600
"""The limit in place of ``SILENT_S`` for a connection of the keeper, in seconds.

The server reports no progress while a statement waits for a mutation, and repeating an abandoned
statement would queue the mutation a second time. TCP still detects a machine that is down.
"""
LEAST_AWAY_S, MOST_AWAY_S = 10.0, 60.0
"""Range of the seconds for which an abandoned host is tried last; they double until it is used."""
_AGAIN_S = 1.0
"""Seconds after which hosts are examined again if none can be used."""
_WRONG_ACCOUNT = 516
LEAVE = frozenset(
    {
        81,  # UNKNOWN_DATABASE
        164,  # READONLY
        242,  # TABLE_IS_READ_ONLY
        243,  # NOT_ENOUGH_SPACE
        _WRONG_ACCOUNT,
    }
)
"""The error codes on which the process changes to another host, which may work.

It also changes after an error without a code, which means that there was no response.
"""


EMPTY = "has no tables of Spanloom"
"""The reason in the refusal of a host that has no store."""


class Refusal(NamedTuple):
    """The reason why a host is not used."""

    host: Host
    reason: str

    def __str__(self) -> str:
        """Return a sentence: ``b:8123 is of version 25.8, and 26.2 is needed``."""
        return f"{self.host} {self.reason}"


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
        """How often the host has changed; clients opened at a lower number are out of date."""
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
                    self._refused[self._host] = Refusal(self._host, _reason(error))
                    self._leave()
            return self._choose(server)

    def note(self, turn: int, error: Exception) -> None:
        """Abandon the host if a client's error shows that it is unusable.

        Has no effect if the host has changed since ``turn``, when the client was opened.
        """
        code = getattr(error, "code", None)
        leave = LEAVE if self._has_others else {_WRONG_ACCOUNT}  # the password may have changed
        if code is not None and code not in leave:
            return
        with self._lock:
            if turn == self._turn and self._host is not None:
                self._refused[self._host] = Refusal(self._host, _reason(error))
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
            self._refuse(host, _reason(error))
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
            self._pool = _pool_of(self._address, server, host)
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


def open_client(
    address: StoreAddress, server: Server, host: Host, pool: PoolManager | None = None
) -> Client:
    """Open a client to one host; raises the driver's errors."""
    has_password = bool(server.password)
    client = clickhouse_connect.get_client(
        host=host.name,
        port=host.port,
        secure=server.is_secure,
        username=server.user,
        password=server.password,
        database=server.database or None,
        connect_timeout=max(1, round(address.connect_s)),
        send_receive_timeout=SILENT_S,
        query_retries=0,
        pool_mgr=pool or _pool_of(address, server, host),
        client_cert=str(address.cert_file) if address.cert_file and server.is_secure else None,
        tls_mode="strict" if has_password else "mutual",
    )
    backend = client._backend  # type: ignore[attr-defined]  # noqa: SLF001  # not public
    if backend.progress_interval is None:  # an account with readonly = 1 cannot ask for progress
        wait_for(client, _SILENT_WITHOUT_PROGRESS_S)
    return client


def wait_for(client: Client, silent_s: float) -> None:
    """Set the seconds without data after which a client gives up a host."""
    backend = client._backend  # type: ignore[attr-defined]  # noqa: SLF001  # not public
    backend.timeout = Timeout(connect=backend.timeout.connect_timeout, read=silent_s)


def _pool_of(address: StoreAddress, server: Server, host: Host) -> PoolManager:
    """Return a pool of connections, which reads the TLS files whenever it opens a connection."""
    scheme = "https" if server.is_secure else "http"
    options: dict[str, Any] = {}
    if proxy := check_env_proxy(scheme, host.name, host.port):
        options[f"{scheme}_proxy"] = proxy
    if server.is_secure:
        named = (
            ("ca_cert", address.ca_file),
            ("client_cert", address.cert_file),
            ("client_cert_key", address.key_file),
        )
        options |= {name: str(file) for name, file in named if file}
    pool: PoolManager = get_pool_manager(**options)
    return pool


class RoamingClient:
    """A client of the host that the process uses; one thread at a time runs a statement."""

    def __init__(self, hosts: Hosts) -> None:
        """Connect; raises the same errors as ``Hosts.connect``."""
        self._hosts = hosts
        self._prepare: Callable[[Client], None] = lambda _client: None
        self._client, self._turn = hosts.connect()
        self._has_session = False

    @property
    def server_settings(self) -> Mapping[str, Any]:
        """The server's settings, as the driver read them."""
        return self._client.server_settings

    def prepare(self, prepare: Callable[[Client], None]) -> None:
        """Call ``prepare`` for the current client, and for each client opened later."""
        self._prepare = prepare
        prepare(self._client)

    def begin_session(self, session: str, idle_s: int) -> None:
        """Run the next statements in a session of the host in use; raises the driver's errors.

        The host ends it after ``idle_s`` idle seconds. Sessions are not shared: after a change of
        host, statements raise ``StoreUnavailableError`` until ``end_session``.
        """
        params = _params_of(self._current())
        params |= {"session_id": session, "session_timeout": str(idle_s)}
        self._has_session = True
        try:
            self.command("SELECT 1")
        except BaseException:
            self.end_session()
            raise
        params["session_check"] = "1"

    def end_session(self) -> None:
        """Run the next statements without a session, on any host."""
        self._has_session = False
        for name in ("session_id", "session_timeout", "session_check"):
            _params_of(self._client).pop(name, None)

    def raw_query(self, *what: Any, **how: Any) -> bytes:
        """See ``Client.raw_query`` of the driver."""
        answer: bytes = self._do("raw_query", *what, **how)
        return answer

    def raw_insert(self, *what: Any, **how: Any) -> Any:
        """See ``Client.raw_insert`` of the driver."""
        return self._do("raw_insert", *what, **how)

    def command(self, *what: Any, **how: Any) -> Any:
        """See ``Client.command`` of the driver."""
        return self._do("command", *what, **how)

    def query(self, *what: Any, **how: Any) -> Any:
        """See ``Client.query`` of the driver."""
        return self._do("query", *what, **how)

    def close(self) -> None:
        """Close the client; other clients of the process stay open."""
        self._client.close()

    def __getattr__(self, name: str) -> Any:  # any other attribute of a client
        return getattr(self._client, name)

    def _do(self, name: str, *what: Any, **how: Any) -> Any:
        client = self._current()
        turn = self._turn
        try:
            return getattr(client, name)(*what, **how)
        except (ClickHouseError, OSError) as error:
            self._hosts.note(turn, error)
            raise

    def _current(self) -> Client:
        if self._turn != self._hosts.turn:
            if self._has_session:
                raise StoreUnavailableError("the host that has the session was left")
            self._client.close()
            self._client, self._turn = self._connect_again()
            self._prepare(self._client)
        return self._client

    def _connect_again(self) -> Opened:
        """Connect; an unreadable file with the password or a certificate is a temporary error."""
        try:
            return self._hosts.connect()
        except StartupError as error:
            raise StoreUnavailableError(str(error)) from error


def _params_of(client: Client) -> dict[str, str]:
    """Return the parameters that a client sends with each statement."""
    return cast("HttpClient", client).params


def examined(address: StoreAddress, examine: Callable[[Client], str]) -> Iterator[Refusal]:
    """Yield a refusal for each host of a store that fails the examination."""
    server = address.read()
    for host in server.hosts:
        try:
            with closing(open_client(address, server, host)) as client:
                reason = examine(client)
        except (ClickHouseError, OSError) as error:
            reason = _reason(error)
        if reason:
            yield Refusal(host, reason)


def _reason(error: Exception) -> str:
    """Return why a host cannot be used, without the text of the failed request."""
    code = getattr(error, "code", None)
    text = hide(str(error)).split("\n", 1)[0].partition(" (for url ")[0]
    if code == _WRONG_ACCOUNT:
        return "refuses the account: its name or password is wrong"
    if code is not None:
        return f"refuses: {text.partition('DB::Exception: ')[2] or text}"[:300]
    return f"cannot be reached: {cause_of(error)}"[:300]
