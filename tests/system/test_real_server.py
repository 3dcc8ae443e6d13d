"""A real ClickHouse server in a container, of the image that ``docker-compose.yml`` names.

What the server for tests (``clickhouse_server.py``) stands in for everywhere else, held to the same
contract and the same captured runs. Skipped where no Docker answers.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import ClickHouseError
from tests.support.compose import service
from tests.support.contract import hold_to_contract
from tests.support.ground_truth import all_captures
from tests.support.sent_captures import QUICK, documents_of
from tests.support.server_roles import start_roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import StartSpanloom, Tell

PORT = 8123
EVERY = 24
"""Of so many captured runs one is sent."""
START_S = 60.0

pytestmark = pytest.mark.timeout(1800)


def started() -> Any:  # a container of testcontainers, which need not be installed
    """Start the image; skip the test where there is no Docker, and fail where that fails."""
    containers = pytest.importorskip("testcontainers.core.container")
    docker = import_module("docker")
    try:
        docker.from_env().ping()
    except docker.errors.DockerException as error:
        pytest.skip(f"no Docker answers here: {error}")
    container = containers.DockerContainer(service("clickhouse")["image"])
    for name, value in service("clickhouse")["environment"].items():
        container.with_env(name, value)
    return container.with_exposed_ports(PORT).start()


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    container = started()
    try:
        said = service("clickhouse")["environment"]
        account = f"{said['CLICKHOUSE_USER']}:{said['CLICKHOUSE_PASSWORD']}"
        host, port = container.get_container_host_ip(), container.get_exposed_port(PORT)
        url = f"clickhouse://{account}@{host}:{port}/{said['CLICKHOUSE_DB']}"
        await_answer(url)
        yield url
    finally:
        container.stop()


def await_answer(url: str) -> None:
    until = time.monotonic() + START_S
    while True:
        try:
            clickhouse_connect.get_client(dsn=url).close()
        except (ClickHouseError, OSError):
            assert time.monotonic() < until, f"{url} does not answer"
            time.sleep(0.5)
        else:
            return


def test_captured_runs_come_out_right(
    start_spanloom: StartSpanloom, server_url: str, tell: Tell
) -> None:
    roles = start_roles(start_spanloom, server_url, env=QUICK)
    documents_of(roles.collect, roles.api, all_captures()[::EVERY], tell)
    assert roles.complaints == []
    roles.stop()


@pytest.mark.slow
def test_the_contract_holds(server_url: str) -> None:
    hold_to_contract(server_url)
