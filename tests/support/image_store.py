"""A store on ClickHouse's own server, in a container of the image of ``docker-compose.yml``."""

from __future__ import annotations

import signal
import socket
import time
from contextlib import closing, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import ClickHouseError
from tests.support.compose import service
from tests.support.started_server import url_of

from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clickhouse_connect.driver.client import Client

HTTP_PORT = 8123
START_S = 60.0
ACCOUNT = PASSWORD = "store"  # noqa: S105
"""The account that tests use, because accounts from the image's variables cannot be altered."""


class ImageStore:
    """The database of the compose file on a server in a container, whose port stays the same."""

    def __init__(self, container: Any, port: int) -> None:
        """Use a container of testcontainers, whose HTTP port is published at ``port``."""
        self._container = container
        self._port = port
        self._given: dict[str, str] = service("clickhouse")["environment"]
        container.start()
        self._await_answer()
        with closing(self._admin()) as admin:
            admin.command(f"CREATE USER {ACCOUNT} IDENTIFIED BY '{PASSWORD}'")
            admin.command(f"GRANT CURRENT GRANTS ON *.* TO {ACCOUNT}")
        with closing(open_upkeep(self.url)) as upkeep:
            upkeep.migrate()

    @property
    def address(self) -> str:
        return f"http://{self._container.get_container_host_ip()}:{self._port}"

    @property
    def url(self) -> str:
        return self.url_at(self.address)

    def url_at(self, address: str) -> str:
        """Return the store's URL at another address that leads to the server."""
        return url_of(address, self._given["CLICKHOUSE_DB"], ACCOUNT, PASSWORD)

    def start(self) -> None:
        """Start the server and return once it answers."""
        self._container.get_wrapped_container().start()
        self._await_answer()

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal that ends the server, and wait for the end."""
        container = self._container.get_wrapped_container()
        container.kill(signal=int(number))
        container.wait()

    def set_read_only(self, *, to: bool) -> None:
        """Refuse or accept all changes."""
        with closing(self._admin()) as admin:
            admin.command(f"REVOKE ALL ON *.* FROM {ACCOUNT}")
            rights = "SELECT" if to else "CURRENT GRANTS"
            admin.command(f"GRANT {rights} ON *.* TO {ACCOUNT}")

    def _admin(self) -> Client:
        user, password = self._given["CLICKHOUSE_USER"], self._given["CLICKHOUSE_PASSWORD"]
        url = url_of(self.address, self._given["CLICKHOUSE_DB"], user, password)
        return clickhouse_connect.get_client(dsn=url)

    def _await_answer(self) -> None:
        until = time.monotonic() + START_S
        while True:
            try:
                self._admin().close()
            except (ClickHouseError, OSError):
                assert time.monotonic() < until, f"{self.address} does not answer"
                time.sleep(0.5)
            else:
                return


@contextmanager
def image_store() -> Iterator[ImageStore]:
    """Run the image; skip the test if there is no Docker, and fail if Docker fails."""
    containers = pytest.importorskip("testcontainers.core.container")
    docker = import_module("docker")
    try:
        docker.from_env().ping()
    except docker.errors.DockerException as error:
        pytest.skip(f"no Docker answers here: {error}")
    found = service("clickhouse")
    container = containers.DockerContainer(found["image"])
    for name, value in found["environment"].items():
        container.with_env(name, value)
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    try:
        yield ImageStore(container.with_bind_ports(HTTP_PORT, port), port)
    finally:
        container.stop()
