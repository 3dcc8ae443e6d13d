"""A client that runs its statements on the host that the process currently uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from clickhouse_connect.driver.exceptions import ClickHouseError

from spanloom.core.errors import StartupError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clickhouse_connect.driver.client import Client
    from clickhouse_connect.driver.httpclient import HttpClient

    from spanloom.storage.engine.hosts.choice import Hosts, Opened


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
