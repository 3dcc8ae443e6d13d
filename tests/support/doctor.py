"""Runs `spanloom doctor`, and damages the things that it examines."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support import programs
from tests.support.ledger import Request, SentSpan
from tests.support.senders import GrpcClient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom

Findings = dict[str, dict[str, str]]
GOOD: Request = (SentSpan("a" * 32, "a" * 16, "", "a good span", 10**18),)
POISON: Request = (SentSpan("d" * 32, "d" * 16, "", "the poison of all", 10**18),)
IN_THE_STORE = """
import sys, time, clickhouse_connect
from contextlib import closing
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.storage.store import open_store
url = "chdb://" + sys.argv[1]
"""


@dataclass
class Doctor:
    """Runs the command on free ports and stores its last output."""

    run: RunSpanloom
    status: int = 0
    findings: Findings = field(default_factory=dict)

    def examine(self, data: Path, *options: str, env: Mapping[str, str] | None = None) -> Doctor:
        free = ("--json", "--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")
        ended = self.run("doctor", f"--data-dir={data}", *free, *options, env=env)
        assert ended.stderr == ""
        told = json.loads(ended.stdout)
        self.status = ended.returncode
        self.findings = {finding["name"]: finding for finding in told["findings"]}
        assert (told["status"] == "problem") == bool(self.status)
        return self

    def expect(self, check: str, status: str, *words: str) -> None:
        found = self.findings[check]
        assert found["status"] == status, found
        assert bool(found["todo"]) is (status in {"warning", "problem"}), found
        for word in words:
            assert word in found["found"] + found["todo"], found
        if status == "problem":
            assert self.status == 1

    @property
    def problems(self) -> list[str]:
        return [f["name"] for f in self.findings.values() if f["status"] == "problem"]

    @property
    def warnings(self) -> list[str]:
        return [f["name"] for f in self.findings.values() if f["status"] == "warning"]


def send(spanloom: RunningSpanloom, request: Request) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    client.send(request)
    client.close()


def change_spool(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "spool.sqlite")) as file, file:
        file.execute(statement)


def change_store(data: Path, *lines: str) -> None:
    """Change the store in a separate process, because only one process can open it at a time."""
    script = IN_THE_STORE + "\n".join(lines)
    changed = programs.run("-c", script, str(data / "store"))
    assert changed.returncode == 0, changed.stderr
