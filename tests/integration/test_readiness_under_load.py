"""The service stays ready however long the reads of its users take."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import httpx
from tests.support.access import open_access

from spanloom.api.app import STORE_CALLS, create_app
from spanloom.api.services import ServingProcess
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind

if TYPE_CHECKING:
    from spanloom.storage.runs.lists import ClickHouseLists
    from spanloom.storage.store import ClickHouseStore

SLOW_S = 3.0
"""The longest that one ``sleep`` of the engine may take."""


class SlowLists:
    """A store whose lists take long, in the engine and on the connection of readers."""

    def __init__(self, store: ClickHouseStore) -> None:
        self._store = store

    def list(self, *_: object) -> list[object]:
        self._store.connections.reader.run(f"SELECT sleep({SLOW_S})")
        return []


def test_slow_lists_do_not_make_the_service_unready(clickhouse_store: ClickHouseStore) -> None:
    def ready() -> list[str]:
        clickhouse_store.ping()
        return []

    store = replace(clickhouse_store, runs=cast("ClickHouseLists", SlowLists(clickhouse_store)))
    app = create_app(
        store, Metrics(), open_access(), ServingProcess(ready=ready), timeout_s=2 * SLOW_S
    )
    server = HttpServer(app, bind("127.0.0.1", 0, "--api-port"), "api")
    server.start()
    url = f"http://127.0.0.1:{server.port}"
    try:
        with ThreadPoolExecutor(2 * STORE_CALLS) as callers:
            began = time.monotonic()
            lists = [
                callers.submit(httpx.get, f"{url}/v1/trajectories", timeout=60)
                for _ in range(2 * STORE_CALLS)
            ]
            time.sleep(0.5)
            answers = []
            while not any(answer.done() for answer in lists):
                asked = time.monotonic()
                assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200
                answers.append(time.monotonic() - asked)
                time.sleep(0.1)
            assert time.monotonic() - began >= SLOW_S
            assert len(answers) > 1, "readiness waited for the lists"
            assert min(answers) < SLOW_S / 3
    finally:
        server.stop(grace_s=10)
