"""`spanloom doctor` as a process: each problem made for real, and all well before."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import httpx
import pytest
import trustme
from tests.conftest import clean_environment
from tests.support import refusing_store
from tests.support.ledger import Request, SentSpan
from tests.support.senders import GrpcClient

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

Findings = dict[str, dict[str, str]]
GOOD: Request = (SentSpan("a" * 32, "a" * 16, "", "a good span", 10**18),)
POISON: Request = (SentSpan("d" * 32, "d" * 16, "", "the poison of all", 10**18),)
IN_THE_STORE = """
import sys, time, clickhouse_connect
from contextlib import closing
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.progress import Progress
from spanloom.storage.engine.connect import open_store
url = "chdb://" + sys.argv[1]
"""


@dataclass
class Doctor:
    """Runs the command on free ports and keeps what it said last."""

    run: RunSpanloom
    status: int = 0
    findings: Findings = field(default_factory=dict)

    def examine(self, data: Path, *options: str, env: Mapping[str, str] | None = None) -> Doctor:
        free = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")
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


@pytest.fixture
def doctor(run_spanloom: RunSpanloom) -> Doctor:
    return Doctor(run_spanloom)


@pytest.fixture(scope="module")
def served(start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that was used and left in order."""
    data = tmp_path_factory.mktemp("served") / "data"
    spanloom = start_shared_spanloom("serve", "--root-quiet-s=0", data_dir=data)
    send(spanloom, GOOD)
    until = time.monotonic() + 30
    while not httpx.get(f"{spanloom.api}/v1/trajectories").json()["items"]:
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.1)
    assert spanloom.stop() == 0
    return data


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    return shutil.copytree(served, tmp_path / "copy", symlinks=True)


def send(spanloom: RunningSpanloom, request: Request) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    client.send(request)
    client.close()


def change_spool(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "spool.sqlite")) as file, file:
        file.execute(statement)


def change_store(data: Path, *lines: str) -> None:
    """Do something to the store in a process of its own, as one process can open one store."""
    script = IN_THE_STORE + "\n".join(lines)
    command = [sys.executable, "-c", script, str(data / "store")]
    subprocess.run(command, timeout=120, check=True, env=clean_environment())


def test_a_used_directory_is_well(doctor: Doctor, served: Path) -> None:
    doctor.examine(served)
    assert (doctor.status, doctor.problems) == (0, [])
    assert set(doctor.warnings) <= {"disk"}, "the machine's disk may be smaller than the bound"
    doctor.expect("directory", "ok", str(served))
    for check in ("packages", "owner", "sizes", "spool", "clock", "store", "schema", "keys"):
        doctor.expect(check, "ok")
    for check in ("dead-letters", "detached-parts", "quarantine"):
        doctor.expect(check, "ok", "none")
    doctor.expect("certificate", "skipped", "TLS")
    doctor.expect("parts", "skipped", "no process")


def test_no_directory_another_one_and_an_empty_one(doctor: Doctor, tmp_path: Path) -> None:
    doctor.examine(tmp_path / "nowhere").expect("directory", "problem", "there is no", "serve")
    assert not (tmp_path / "nowhere").exists()
    other = tmp_path / "photos"
    other.mkdir()
    assert doctor.examine(other).status == 0
    doctor.expect("directory", "ok", "empty")
    assert list(other.iterdir()) == [], "an examination makes nothing"
    (other / "cat.jpg").write_bytes(b"meow")
    doctor.examine(other).expect("directory", "problem", "not a data directory", "--data-dir")
    assert [file.name for file in other.iterdir()] == ["cat.jpg"]


def test_a_bad_option_is_status_2(run_spanloom: RunSpanloom) -> None:
    for option in ("--surprise", "--store-url=mysql://x"):
        ended = run_spanloom("doctor", option)
        assert (ended.returncode, ended.stdout) == (2, ""), option


def test_a_newer_format_is_a_problem_and_left_alone(doctor: Doctor, data: Path) -> None:
    (data / "FORMAT").write_text("99\n")
    doctor.examine(data).expect("directory", "problem", "99", "upgrade")
    doctor.expect("store", "skipped")


def test_a_killed_owner_and_what_it_left_in_the_spool(
    doctor: Doctor, start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom("serve", "--batch-wait-s=60", data_dir=tmp_path / "data")
    send(spanloom, GOOD)
    assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    doctor.examine(tmp_path / "data")
    doctor.expect("owner", "warning", str(spanloom.process.pid), "spanloom serve --data-dir")
    doctor.expect("spool", "warning", "1 request waiting", "spanloom serve --data-dir")
    assert doctor.status == 0


def test_dead_letters_are_told_while_the_service_runs(
    doctor: Doctor, start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    order = tmp_path / "order"
    order.write_text("data")
    spanloom = start_spanloom(
        "serve", "--batch-wait-s=2", entry=(refusing_store.__file__, str(order))
    )
    send(spanloom, GOOD)  # where nothing is taken, nothing is set aside
    send(spanloom, POISON)
    until = time.monotonic() + 60
    while doctor.examine(tmp_path / "data", f"--api-url={spanloom.api}").status == 0:
        assert time.monotonic() < until, spanloom.log
    assert doctor.problems == ["dead-letters"]
    doctor.expect("dead-letters", "problem", "1 request", "injected", "dead-letters retry")


def test_a_broken_spool_and_a_newer_one(doctor: Doctor, data: Path) -> None:
    change_spool(data, "PRAGMA user_version = 99")
    doctor.examine(data).expect("disk", "problem", "99", "upgrade")
    doctor.expect("dead-letters", "skipped")
    (data / "spool.sqlite").write_bytes(b"no database at all" * 5_000)
    doctor.examine(data).expect("disk", "problem", "cannot be read", "backup")


def test_a_clock_that_went_back(doctor: Doctor, data: Path) -> None:
    change_spool(data, "UPDATE totals SET last_seq = last_seq + 7200 * 1000000")
    doctor.examine(data).expect("clock", "problem", "2.0 h", "NTP")


def test_a_spool_that_is_almost_full(doctor: Doctor, data: Path) -> None:
    change_spool(data, "UPDATE totals SET records = 1, bytes = 7800000000")
    doctor.examine(data).expect("spool", "problem", "7.3 GiB of 8.0 GiB", "--spool-max-bytes")


def test_tables_of_a_newer_spanloom(doctor: Doctor, data: Path) -> None:
    insert = (
        "INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, '9999_x.sql', '')"
    )
    change_store(
        data,
        "client = clickhouse_connect.get_client(interface='chdb', path=sys.argv[1])",
        f"client.command({insert!r})",
    )
    doctor.examine(data).expect("schema", "problem", "9999_x.sql", "upgrade")
    doctor.expect("quarantine", "skipped", "another version")


def test_a_store_without_tables_and_one_that_is_none(doctor: Doctor, data: Path) -> None:
    shutil.rmtree(data / "store")
    doctor.examine(data).expect("store", "skipped", "no store yet")
    (data / "store").mkdir()
    doctor.examine(data).expect("schema", "warning", f"spanloom migrate --data-dir {data}")
    shutil.rmtree(data / "store")
    (data / "store").write_text("a file")
    doctor.examine(data).expect("store", "problem")


def test_a_part_that_the_engine_put_aside(doctor: Doctor, data: Path) -> None:
    table = (data / "store" / "data" / "default" / "otel_traces").resolve()
    [part, *_] = [path for path in table.iterdir() if path.name.startswith("20")] or [
        path for path in table.iterdir() if (path / "columns.txt").exists()
    ]
    shutil.copytree(part, table / "detached" / f"broken-on-start_{part.name}")
    doctor.examine(data).expect("detached-parts", "problem", "otel_traces", "broken-on-start")


def test_a_trace_that_cannot_be_built(doctor: Doctor, data: Path) -> None:
    change_store(
        data,
        "with closing(open_store(url)) as store:",
        "    key = TraceKey('default', 'b' * 32)",
        "    store.record_progress([Progress(key, 1, Status.LIVE, 3, 1, 'it went boom')])",
    )
    doctor.examine(data).expect("quarantine", "warning", "b" * 32, "it went boom", "replay")
    assert doctor.status == 0


def test_deleted_traces_that_the_keeper_has_not_removed(doctor: Doctor, data: Path) -> None:
    delete = "INSERT INTO deleted_traces SELECT DISTINCT Project, TraceId, 'x' FROM otel_traces"
    change_store(
        data,
        "client = clickhouse_connect.get_client(interface='chdb', path=sys.argv[1])",
        f"client.command({delete!r})",
    )
    doctor.examine(data).expect("deletions", "warning", "rows of deleted traces", "keeper")


def test_ports_that_somebody_has(doctor: Doctor, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        doctor.examine(data, f"--otlp-http-port={port}")
    doctor.expect("ports", "warning", f"127.0.0.1:{port} is taken by", "--otlp-http-port")
    doctor.examine(data, f"--otlp-http-port={port}").expect("ports", "ok", "free")


def test_keys_that_lack_expire_or_lie_unused(
    doctor: Doctor, data: Path, run_spanloom: RunSpanloom
) -> None:
    doctor.examine(data, "--host=0.0.0.0").expect(
        "keys", "problem", "other machines", "keys create"
    )
    made = ("keys", "create", "--all-projects", "--scopes=read", "--expires=12h")
    assert run_spanloom(*made, f"--data-dir={data}").returncode == 0
    doctor.examine(data, "--host=0.0.0.0").expect("keys", "ok", "1 usable key")
    doctor.expect("expiring-keys", "warning", "expires in", "keys revoke")
    with closing(sqlite3.connect(data / "keys.sqlite")) as file, file:
        file.execute("UPDATE keys SET created_ns = 1")
    doctor.examine(data).expect("unused-keys", "warning", "never used")


def test_a_certificate_that_has_expired(doctor: Doctor, data: Path, tmp_path: Path) -> None:
    options = [f"--tls-cert={tmp_path / 'cert.pem'}", f"--tls-key={tmp_path / 'key.pem'}"]
    for days, status in ((-3, "problem"), (300, "ok")):
        end = datetime.now(UTC) + timedelta(days=days)
        issued = trustme.CA().issue_cert("localhost", not_after=end)
        issued.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
        doctor.examine(data, *options).expect("certificate", status)


def test_a_disk_that_is_nearly_full(doctor: Doctor, tmp_path: Path, data: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512m", "tmpfs", str(disk)]
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"a small disk needs the right to mount: {made.stderr.strip()}")
    try:
        copy = shutil.copytree(data, disk / "data", symlinks=True)
        doctor.examine(copy).expect("disk", "problem", "MiB free", "--retention-days")
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_running_service_is_asked_for_what_it_alone_can_see(
    doctor: Doctor, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, data: Path
) -> None:
    spanloom = start_spanloom("serve", data_dir=data)
    spanloom.wait_until_ready()
    address = f"--api-url={spanloom.api}"
    doctor.examine(data, address)
    assert doctor.problems == []
    doctor.expect("owner", "ok", f"process {spanloom.process.pid}")
    doctor.expect("service", "ok", spanloom.api)
    doctor.expect("parts", "ok")
    doctor.expect("ports", "ok", spanloom.api.rpartition(":")[2], "answer")
    for check in ("store", "schema", "detached-parts", "quarantine", "spool", "keys"):
        doctor.expect(check, "ok")
    alone(doctor, data, "--api-url=http://127.0.0.1:9", "nothing answers")
    made = ("keys", "create", "--all-projects", "--scopes=admin", f"--data-dir={data}")
    key = run_spanloom(*made).stdout.strip()
    until = time.monotonic() + 30  # the service reads its keys twice a second
    while httpx.get(f"{spanloom.api}/v1/keys").status_code != 401:
        assert time.monotonic() < until, (key, spanloom.log)
    alone(doctor, data, address, "SPANLOOM_API_KEY")
    doctor.examine(data, address, env={"SPANLOOM_API_KEY": key}).expect("store", "ok")
    elsewhere = data.parent / "elsewhere"
    doctor.examine(elsewhere, address, env={"SPANLOOM_API_KEY": key}).expect("schema", "ok")
    assert not elsewhere.exists()


def alone(doctor: Doctor, data: Path, address: str, words: str) -> None:
    """Examine beside a service that cannot be asked: files are told, the rest is skipped."""
    doctor.examine(data, address).expect("service", "warning", words, "--api-url")
    doctor.expect("spool", "ok")
    for check in ("store", "schema", "parts", "ports"):
        doctor.expect(check, "skipped", "only the running process")


def test_another_service_is_not_taken_for_the_owner(
    doctor: Doctor, start_spanloom: StartSpanloom, data: Path, tmp_path: Path
) -> None:
    owner = start_spanloom("serve", data_dir=data)
    other = start_spanloom("serve", data_dir=tmp_path / "other")
    alone(doctor, data, f"--api-url={other.api}", f"process {other.process.pid} answers")
    assert owner.process.poll() is None


def test_a_server_that_does_not_answer(doctor: Doctor, tmp_path: Path) -> None:
    url = "clickhouse://spanloom:secret@127.0.0.1:9/traces"
    doctor.examine(tmp_path / "nowhere", f"--store-url={url}").expect(
        "store", "problem", "127.0.0.1"
    )
    assert "secret" not in json.dumps(doctor.findings)
    doctor.expect("spool", "skipped")
