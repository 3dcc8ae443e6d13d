"""A process uses one of several hosts, and leaves it when the host fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError, OperationalError

from spanloom.core.errors import StoreUnavailableError
from spanloom.storage.engine.address import Host, Server, StoreAddress
from spanloom.storage.engine.hosts import choice
from spanloom.storage.engine.hosts.choice import Hosts
from spanloom.storage.engine.hosts.refusals import EMPTY
from spanloom.storage.engine.hosts.roaming import RoamingClient

if TYPE_CHECKING:
    from pathlib import Path

A, B, C = (Host(name, 8123) for name in "abc")
THREE = StoreAddress("clickhouse://me:pw@a,b,c/d")


class Client:
    """A client of one host, which answers with the host's name or fails."""

    def __init__(self, host: Host, network: Network) -> None:
        self.host, self._network = host, network
        self.prepared = self.is_closed = False
        self.params: dict[str, str] = {}

    def command(self, _text: str) -> str:
        if error := self._network.errors.get(self.host):
            raise error
        return self.host.name

    def close(self) -> None:
        self.is_closed = True


class Network:
    """The hosts: the error with which each fails, and the reason that an examination gives."""

    may_upgrade = False
    oldest: int | None = None

    def __init__(self) -> None:
        self.errors: dict[Host, Exception] = {}
        self.reasons: dict[Host, str] = {}
        self.opened: list[Host] = []
        self.now = 0.0

    def open(self, _address: StoreAddress, _server: Server, host: Host, _pool: object) -> Client:
        self.opened.append(host)
        if error := self.errors.get(host):
            raise error
        return Client(host, self)

    def keep_id(self, _kept: object) -> None:
        raise NotImplementedError

    def __call__(self, client: Any) -> str:
        return self.reasons.get(client.host, "")


DOWN = OperationalError("Error executing HTTP request attempt 1 (http://a:8123)")
DOWN.__cause__ = OSError("refused")


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    made = Network()
    monkeypatch.setattr(choice, "open_client", made.open)
    return made


@pytest.fixture
def hosts(network: Network) -> Hosts:
    return Hosts(THREE, network, lambda: network.now)


def use(client: RoamingClient) -> str:
    return str(client.command("SELECT 1"))


def fail(client: RoamingClient) -> None:
    with pytest.raises((DatabaseError, StoreUnavailableError)):
        use(client)


def test_all_clients_use_the_first_host_and_leave_it_together(
    network: Network, hosts: Hosts
) -> None:
    one, other = RoamingClient(hosts), RoamingClient(hosts)
    assert (use(one), use(other)) == ("a", "a")
    network.errors[A] = DOWN
    fail(one)
    assert (use(other), use(one)) == ("b", "b")
    network.errors.clear()
    assert use(one) == "b"  # the client stays at its host


def test_a_file_that_is_missing_at_a_reconnect_is_an_outage(
    network: Network, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("one")
    address = StoreAddress("clickhouse://me@a,b/d", password_file=file)
    client = RoamingClient(Hosts(address, network, lambda: network.now))
    network.errors[A] = DOWN
    fail(client)
    file.unlink()
    with pytest.raises(StoreUnavailableError, match="cannot be read"):
        use(client)
    file.write_text("two")
    assert use(client) == "b"


def test_a_client_is_prepared_again_at_each_host(network: Network, hosts: Hosts) -> None:
    client = RoamingClient(hosts)
    prepared: list[str] = []
    client.prepare(lambda at: prepared.append(at.host.name))  # type: ignore[attr-defined]  # a ``Client`` of this module
    network.errors[A] = DOWN
    fail(client)
    use(client)
    assert prepared == ["a", "b"]


@pytest.mark.parametrize("code", [81, 164, 242, 243, 516, None])
def test_an_error_of_the_host_leaves_it(network: Network, hosts: Hosts, code: int | None) -> None:
    client = RoamingClient(hosts)
    network.errors[A] = DatabaseError("Code", code=code)
    fail(client)
    assert use(client) == "b"


@pytest.mark.parametrize("code", [62, 159, 241, 394, 497])
def test_an_error_of_the_statement_does_not(network: Network, hosts: Hosts, code: int) -> None:
    client = RoamingClient(hosts)
    network.errors[A] = DatabaseError("Code", code=code)
    fail(client)
    network.errors.clear()
    assert use(client) == "a"


def test_an_answer_of_an_earlier_host_leaves_no_later_one(network: Network, hosts: Hosts) -> None:
    client = RoamingClient(hosts)
    network.errors[A] = DOWN
    fail(client)
    assert use(client) == "b"
    hosts.note(1, DOWN)  # the late error of a slow statement
    assert use(client) == "b"


def test_each_refusal_is_a_sentence(network: Network, hosts: Hosts) -> None:
    network.errors[A] = DOWN
    network.reasons = {B: "is of version 25.8, and 26.2 is needed", C: EMPTY}
    with pytest.raises(StoreUnavailableError) as refusal:
        hosts.connect()
    assert str(refusal.value) == (
        "a:8123 cannot be reached: refused; "
        "b:8123 is of version 25.8, and 26.2 is needed; c:8123 has no tables of Spanloom"
    )


def test_where_no_host_can_be_used_they_are_examined_once_a_second(
    network: Network, hosts: Hosts
) -> None:
    network.errors = {A: DOWN, B: DOWN, C: DOWN}
    for _ in range(5):
        with pytest.raises(StoreUnavailableError):
            hosts.connect()
    assert len(network.opened) == 3
    network.errors.clear()
    network.now = 1.5
    assert hosts.connect().client.host == A  # type: ignore[attr-defined]  # a ``Client`` of this module


def test_a_host_that_was_left_is_tried_last_for_ever_longer(network: Network, hosts: Hosts) -> None:
    client = RoamingClient(hosts)
    for away_s in (10, 20, 40, 60, 60):
        network.errors = {A: DOWN}
        fail(client)
        assert use(client) == "b"
        network.errors = {B: DOWN}
        network.now += away_s - 1  # B has failed as often as A
        fail(client)
        assert use(client) == "c"
        network.errors = {C: DOWN}
        network.now += 2
        fail(client)
        network.errors = {}
        assert use(client) == "a"
        network.now += 60


def test_the_maker_of_tables_begins_only_where_every_host_answers(
    network: Network, hosts: Hosts
) -> None:
    network.may_upgrade = True
    network.errors = {A: DOWN}
    network.reasons = dict.fromkeys((A, B, C), EMPTY)
    with pytest.raises(StoreUnavailableError):
        hosts.connect()
    network.errors = {}
    network.now = 100
    assert hosts.connect().client.host == A  # type: ignore[attr-defined]  # a ``Client`` of this module


def test_one_host_is_used_as_it_is_and_tried_at_once(network: Network) -> None:
    network.reasons[A] = "is of version 25.8, and 26.2 is needed"
    client = RoamingClient(Hosts(StoreAddress("clickhouse://a/d"), network, lambda: 0.0))
    network.errors[A] = DOWN
    fail(client)
    fail(client)
    network.errors.clear()
    assert use(client) == "a"


def test_a_session_ends_with_its_host(network: Network, hosts: Hosts) -> None:
    """Neither another host nor a new client of the same host knows the session."""
    client, other = RoamingClient(hosts), RoamingClient(hosts)
    client.begin_session("me", 60)
    at_a = client._client.params  # type: ignore[attr-defined]  # of the driver over HTTP
    assert at_a == {"session_id": "me", "session_timeout": "60", "session_check": "1"}
    network.errors[A] = DOWN
    fail(other)
    network.errors.clear()
    for _ in range(2):
        with pytest.raises(StoreUnavailableError, match="session was left"):
            use(client)
    client.end_session()
    assert use(client) == use(other) == "b"
    assert client._client.params == {}  # type: ignore[attr-defined]  # of the driver over HTTP


def test_a_session_that_cannot_begin_is_none(network: Network, hosts: Hosts) -> None:
    client = RoamingClient(hosts)
    network.errors[A] = DatabaseError("Code", code=241)
    with pytest.raises(DatabaseError):
        client.begin_session("me", 60)
    network.errors.clear()
    assert use(client) == "a"
    assert client._client.params == {}  # type: ignore[attr-defined]  # of the driver over HTTP
