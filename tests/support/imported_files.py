"""The import of files by the API in this process: a collector with a spool, handmade documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import orjson

from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.spool.spool import Spool
from spanloom.core.errors import InvalidRequestError
from spanloom.metrics import Metrics
from spanloom.process.imports.child import messages
from spanloom.process.imports.importer import FileImporter
from spanloom.process.imports.reading import FileReading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient
    from tests.conftest import RunningSpanloom

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.process.imports.messages import Begin, Message

IMPORTS = "/v1/imports"
FILE = "application/octet-stream"
SOON_S = 60.0


class ReadHere(FileReading):
    """Reads a file in this process, because starting another process takes most of a second."""

    def __init__(self, begin: Begin) -> None:
        self._messages: Iterator[Message] = messages(begin)
        self._is_killed = False
        self.source = ""
        self.traces = ()

    def _send_begin(self) -> None:
        """Send nothing, because no child waits for the first message."""

    def _receive(self) -> Message:
        if self._is_killed:
            raise InvalidRequestError("killed")
        return next(self._messages)

    def kill(self) -> None:
        self._is_killed = True


class Documents:
    """Stored documents by trace and project."""

    def __init__(self) -> None:
        self.by_key: dict[tuple[str, str], Any] = {}
        self.asked: list[tuple[str, Reach]] = []
        self.sent: dict[TraceKey, bytes] = {}

    @property
    def spans(self) -> Documents:
        return self

    def read_otlp(self, key: TraceKey, after: str, limit: int) -> bytes:
        assert limit > 1
        return b"" if after else self.sent.get(key, b"")

    @property
    def documents(self) -> Documents:
        return self

    def get(self, trace_id: str, reach: Reach) -> bytes | None:
        self.asked.append((trace_id, reach))
        found = [
            document
            for (trace, project), document in self.by_key.items()
            if trace == trace_id and reach.covers(project)
        ]
        return orjson.dumps(found[0]) if found else None


class Collector:
    """A collector with a spool, and its importer of files."""

    def __init__(self, folder: Path) -> None:
        self.metrics, self.limits = Metrics(), Limits()
        self.folder = folder / "tmp"
        self.folder.mkdir()
        self.spool = Spool(folder / "spool.sqlite", 1 << 30, self.metrics)
        self.exporter = Exporter(self.spool, self.metrics, self.limits)
        self.stored = Documents()
        self.importer = FileImporter(self.folder, self.stored)  # type: ignore[arg-type]  # as far as it is used
        self.importer.use(self.exporter, self.limits)

    def spans(self) -> dict[str, int]:
        """Return the number of spans in the spool by the project of their sender's key."""
        found: dict[str, int] = {}
        for record in self.spool.read_batch(1 << 30):
            found[record.project] = found.get(record.project, 0) + record.span_count
        return found


class Told(NamedTuple):
    """The lines of a response, by kind."""

    runs: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    end: dict[str, Any]
    """The last line."""


def send(client: TestClient, body: bytes, **params: str) -> Any:
    """Import a file."""
    headers = {"content-type": FILE} | (
        {"authorization": f"Bearer {params.pop('key')}"} if "key" in params else {}
    )
    return client.post(IMPORTS, content=body, params=params, headers=headers)


def listed(service: RunningSpanloom, runs: int) -> dict[str, int]:
    """Return the version of every run, once ``runs`` of them are stored."""
    ends = time.monotonic() + SOON_S
    while True:
        answer = httpx.get(f"{service.api}/v1/trajectories", params={"limit": 200}).json()
        found = {run["trace_id"]: run["version"] for run in answer["items"]}
        if len(found) == runs:
            return found
        assert time.monotonic() < ends, len(found)
        time.sleep(0.1)


def told(answer: Any) -> Told:
    """Parse a response; raises ``AssertionError`` if the import was refused."""
    assert answer.status_code == 200, answer.text
    lines = [orjson.loads(line) for line in answer.content.splitlines()]
    runs = [line for line in lines if "trace_id" in line]
    rejected = [line for line in lines if "reason" in line]
    return Told(runs, rejected, lines[-1])
