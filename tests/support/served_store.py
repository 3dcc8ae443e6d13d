"""Runs ``clickhouse_server`` as a process that can be killed, restarted, set read-only."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support.programs import clean_environment, start

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.programs import Program

STOP_S = 30.0


def url_of(address: str) -> str:
    """Return the store URL for an address such as ``http://127.0.0.1:8123``."""
    return f"clickhouse://default:@{address.removeprefix('http://')}/default"


class ServedStore:
    """``tests.support.clickhouse_server`` over a directory; it keeps its port."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._port = 0
        self._process: Program | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        return url_of(self.address)

    @property
    def log(self) -> str:
        return self._log.read_text()

    def start(self) -> None:
        """Start the server and return once it responds."""
        command = ["-m", "tests.support.clickhouse_server", str(self._path), str(self._port)]
        with self._log.open("a") as sink:
            self._process = start(command, clean_environment(), sink.fileno())
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self.log
        self._port = int(line)

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal that ends it, and wait for the end."""
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(STOP_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    def set_read_only(self, *, to: bool) -> None:
        """Refuse or accept all changes."""
        assert self._process is not None
        self._process.send_signal(signal.SIGUSR1 if to else signal.SIGUSR2)

    @property
    def _log(self) -> Path:
        return self._path.with_name(f"{self._path.name}.log")


@contextmanager
def served_store(path: Path) -> Iterator[ServedStore]:
    """Serve the store at a path, which need not exist yet."""
    store = ServedStore(path)
    try:
        yield store
    finally:
        store.end(signal.SIGKILL)
