"""Somebody who follows the change feed while the service is killed and started again."""

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
    """Goes on behind its last token, wherever the service is by then."""

    def __init__(self) -> None:
        self.newest: dict[str, int] = {}
        """Each trace to the newest version it was told of."""
        self._after = "beginning"

    @contextmanager
    def at(self, api: str) -> Iterator[None]:
        """Follow the service at an address, in a thread of its own, until it is killed."""
        ending = threading.Event()
        thread = threading.Thread(target=self._follow, args=(api, ending))
        thread.start()
        yield
        ending.set()
        thread.join()

    def check(self, api: str) -> None:
        """Demand that what was told is what there is, once nothing changes any more."""
        until = time.monotonic() + SETTLED_S
        with httpx.Client(base_url=api, timeout=20) as client:
            while (told := self._read_on(client)) != (there := _versions(client)):
                assert time.monotonic() < until, f"told {told}, there {there}"
                time.sleep(0.1)

    def _follow(self, api: str, ending: threading.Event) -> None:
        with suppress(httpx.TransportError), httpx.Client(base_url=api, timeout=20) as client:
            while not ending.is_set():
                self._ask(client, wait=0.3)

    def _read_on(self, client: httpx.Client) -> Mapping[str, int]:
        while self._ask(client, wait=0):
            pass
        return self.newest

    def _ask(self, client: httpx.Client, wait: float) -> int:
        """Ask once; give how many items came."""
        asked = {"after": self._after, "wait": str(wait), "duplicate": "any"}
        answer = client.get(PATH, params=asked).raise_for_status().json()
        for item in answer["items"]:
            trace_id = item["trace_id"]
            self.newest[trace_id] = max(self.newest.get(trace_id, 0), item["version"])
        self._after = answer["next"]
        return len(answer["items"])


def _versions(client: httpx.Client) -> Mapping[str, int]:
    found: dict[str, int] = {}
    asked = {"limit": "1000", "duplicate": "any"}
    while True:
        page = client.get("/v1/trajectories", params=asked).raise_for_status().json()
        found |= {item["trace_id"]: item["version"] for item in page["items"]}
        if page["next_cursor"] is None:
            return found
        asked["cursor"] = page["next_cursor"]
