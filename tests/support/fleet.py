"""Roles of two releases over one server, each of which can be restarted under load.

Two collectors, two extractors, two APIs and a keeper. Senders act like a load balancer: they send
to the other collector while one restarts.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from itertools import cycle
from typing import TYPE_CHECKING

import httpx
from tests.conftest import EAGER, RunningSpanloom
from tests.support import programs
from tests.support.ledger import Ledger, Outcome, make_requests
from tests.support.senders import HttpClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.support.feed_follower import Follower

COLLECTORS = ("collect-1", "collect-2")
APIS = ("api-1", "api-2")
ROLES = ("keeper", *COLLECTORS, "extract-1", "extract-2", *APIS)
QUICK = ("--no-root-quiet-s=0.5", "--root-quiet-s=0.2")
DOORS = ("otlp-grpc", "otlp-http")
END_S = 20.0
PAUSE_S = 0.1
SENDERS = 2


class Fleet:
    """The running processes by name; ``env`` of a release has the path of its source."""

    def __init__(self, url: str, place: Path) -> None:
        self._url = url
        self._place = place
        self._turns = {name: threading.Lock() for name in COLLECTORS}
        self._stopped = threading.Event()
        self._faults: list[BaseException] = []
        self._started: list[RunningSpanloom] = []
        self._env: dict[str, Mapping[str, str]] = {}
        self.running: dict[str, RunningSpanloom] = {}
        self.ledger = Ledger()

    def begin(self, env: Mapping[str, str], *names: str, flags: Sequence[str] = ()) -> None:
        """Start roles of a release, all at once; return once those that can be ready are ready.

        APIs and extractors of this release, whose ``env`` is empty, first wait for its keeper.
        """
        with ThreadPoolExecutor(len(names)) as starters:
            list(starters.map(lambda name: self._begin(env, name, flags), names))
        self._env |= dict.fromkeys(names, env)
        for name in names:
            if env or name in ("keeper", *COLLECTORS) or self._env.get("keeper") == {}:
                self.running[name].wait_until_ready()

    def wait_until_ready(self) -> None:
        """Return once all processes are ready."""
        for part in self.running.values():
            part.wait_until_ready()

    def _begin(self, env: Mapping[str, str], name: str, flags: Sequence[str]) -> None:
        role = name.partition("-")[0]
        doors = DOORS if role == "collect" else ()
        ports = [f"--{door}-port=0" for door in ("api", *doors)]
        quick = QUICK if role == "extract" else ()
        log = self._place / f"{name}.{len(list(self._place.glob(f'{name}.*')))}.log"
        with log.open("w") as sink:
            process = programs.start(
                [
                    *("-m", "spanloom", role, f"--store-url={self._url}", *ports, *quick, *flags),
                    f"--data-dir={self._place / name}",
                ],
                programs.clean_environment({**EAGER, **env}),
                sink.fileno(),
            )
        self.running[name] = RunningSpanloom(process, log)
        self._started.append(self.running[name])

    def end(self) -> None:
        """Kill all processes that still run."""
        for part in self._started:
            part.process.kill()
            part.process.wait(END_S)
            if part.process.stdout is not None:
                part.process.stdout.close()

    def restart(self, env: Mapping[str, str], name: str, *flags: str) -> None:
        """Stop a role in an orderly way, and start it again from a release."""
        with self._turns.get(name, nullcontext()):
            old = self.running.pop(name)
            assert old.process.poll() is None, f"{name} ended by itself:\n{old.log}"
            assert old.stop() == 0, old.log
            self.begin(env, name, flags=flags)

    def check(self) -> None:
        """Assert that no process has ended by itself."""
        for name, part in self.running.items():
            assert part.process.poll() is None, f"{name} ended by itself:\n{part.log}"

    @contextmanager
    def load(self) -> Iterator[None]:
        """Send within the context; raises if a request was not acknowledged."""
        threads = [
            threading.Thread(target=self._send, args=(f"sender {n}",)) for n in range(SENDERS)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()
        if self._faults:
            raise self._faults[0]

    def _send(self, name: str) -> None:
        try:
            names = cycle(COLLECTORS)
            for request in make_requests(name):
                if self._stopped.wait(PAUSE_S):
                    return
                collector = self._taken(names)
                try:
                    address = self.running[collector].addresses["otlp_http"]
                    client = HttpClient(address, packed=False, as_text=False)
                    outcome = client.send(request)
                    client.close()
                finally:
                    self._turns[collector].release()
                self.ledger.note(request, outcome)
                assert outcome is Outcome.ACKNOWLEDGED, f"{collector}: {outcome}"
        except BaseException as fault:
            self._faults.append(fault)

    @contextmanager
    def followed(self, follower: Follower) -> Iterator[None]:
        """Follow the change feed within the context, at each API in turn, with one position.

        Raises if an API refuses the position; an API that is down or waits for its store is
        skipped.
        """
        ended = threading.Event()
        with ThreadPoolExecutor(1) as threads:
            following = threads.submit(self._follow, follower, ended)
            try:
                yield
            finally:
                ended.set()
            following.result()

    def _follow(self, follower: Follower, ended: threading.Event) -> None:
        names = cycle(APIS)
        while not ended.wait(PAUSE_S):
            part = self.running.get(next(names))
            if part is None:
                continue
            try:
                with httpx.Client(base_url=part.api, timeout=END_S) as client:
                    follower.ask(client, wait=0.2)
            except httpx.HTTPStatusError as error:
                if error.response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    raise
            except httpx.TransportError:
                continue

    def _taken(self, names: Iterator[str]) -> str:
        """Return a collector that is not being restarted, reserved for this sender."""
        while True:
            name = next(names)
            if self._turns[name].acquire(blocking=False):
                return name
            time.sleep(0.001)
