"""A change feed client that continues while the service is killed and restarted."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SETTLED_S = 60.0
PATH = "/v1/trajectories/changes"


class Follower:
    """Follows the feed after its last token, at the service's current address."""

    def __init__(self) -> None:
        self.newest: dict[str, int] = {}
        """The newest reported version of each trace."""
        self._after = "beginning"

    @contextmanager
    def at(self, api: str) -> Iterator[None]:
        """Follow the service at an address, in a separate thread, until it is killed."""
        ending = threading.Event()
        thread = threading.Thread(target=self._follow, args=(api, ending))
        thread.start()
        yield
        ending.set()
        thread.join()

    def check(self, api: str) -> None:
        """Wait until nothing changes; assert that the feed reported exactly the stored versions."""
        until = time.monotonic() + SETTLED_S
        with httpx.Client(base_url=api, timeout=20) as client:
            while (reported := self._read_on(client)) != (stored := _versions(client)):
                assert time.monotonic() < until, f"told {reported}, there {stored}"
                time.sleep(0.1)

    def _follow(self, api: str, ending: threading.Event) -> None:
        with suppress(httpx.TransportError), httpx.Client(base_url=api, timeout=20) as client:
            while not ending.is_set():
                self.ask(client, wait=0.3)

    def _read_on(self, client: httpx.Client) -> Mapping[str, int]:
        while self.ask(client, wait=0):
            pass
        return self.newest

    def ask(self, client: httpx.Client, wait: float) -> int:
        """Send one request; return the number of items. Raises ``httpx.HTTPError``."""
        query = {"after": self._after, "wait": str(wait), "duplicate": "any"}
        answer = client.get(PATH, params=query).raise_for_status().json()
        for item in answer["items"]:
            trace_id = item["trace_id"]
            self.newest[trace_id] = max(self.newest.get(trace_id, 0), item["version"])
        self._after = answer["next"]
        return len(answer["items"])


def _versions(client: httpx.Client) -> Mapping[str, int]:
    found: dict[str, int] = {}
    query = {"limit": "1000", "duplicate": "any"}
    while True:
        page = client.get("/v1/trajectories", params=query).raise_for_status().json()
        found |= {item["trace_id"]: item["version"] for item in page["items"]}
        if page["next_cursor"] is None:
            return found
        query["cursor"] = page["next_cursor"]
