"""`spanloom doctor` as a process: ports, keys, certificates, the disk, a service that runs."""

from __future__ import annotations

import json
import shutil
import socket
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import httpx
import pytest
import trustme
from tests.support import refusing_store
from tests.support.doctor import GOOD, POISON, Doctor, send
from tests.support.small_disk import mounted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom


def test_a_bad_option_is_status_2(run_spanloom: RunSpanloom) -> None:
    for option in ("--surprise", "--store-url=mysql://x"):
        ended = run_spanloom("doctor", option)
        assert (ended.returncode, ended.stdout) == (2, ""), option


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_ports_that_somebody_has(doctor: Doctor, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        doctor.examine(data, f"--sql-port={port}")
        doctor.expect("ports", "warning", f"127.0.0.1:{port} is taken by", "--sql-port 0")
        doctor.examine(data, f"--otlp-http-port={port}")
    doctor.expect("ports", "warning", f"127.0.0.1:{port} is taken by", "--otlp-http-port")
    doctor.examine(data, f"--otlp-http-port={port}").expect("ports", "ok", "free")


@pytest.mark.nightly
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
    with mounted(disk, "512m"):
        copy = shutil.copytree(data, disk / "data", symlinks=True)
        doctor.examine(copy).expect("disk", "problem", "MiB free", "--retention-days")


@pytest.mark.nightly
def test_a_running_service_is_asked_for_what_it_alone_can_see(
    doctor: Doctor, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, data: Path
) -> None:
    spanloom = start_spanloom("serve", "--sql-port=0", data_dir=data)
    spanloom.wait_until_ready()
    address = f"--api-url={spanloom.api}"
    doctor.examine(data, address)
    assert doctor.problems == []
    doctor.expect("owner", "ok", f"process {spanloom.process.pid}")
    doctor.expect("service", "ok", spanloom.api)
    doctor.expect("parts", "ok")
    for name in ("api", "sql"):
        doctor.expect("ports", "ok", spanloom.addresses[name].rpartition(":")[2], "answer")
    for check in ("store", "schema", "detached-parts", "quarantine", "spool", "keys"):
        doctor.expect(check, "ok")
    sends_http_to_grpc = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": spanloom.addresses["otlp_grpc"],
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    }
    doctor.examine(data, address, env=sends_http_to_grpc).expect("exporter", "problem", "4318")
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


@pytest.mark.nightly
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


def test_in_the_shell_of_an_agent_only_sending_is_examined(
    run_spanloom: RunSpanloom,
    start_spanloom: StartSpanloom,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spanloom = start_spanloom("serve")
    http = spanloom.addresses["otlp_http"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPANLOOM_DATA_DIR", raising=False)
    for endpoint, status, word in (
        (http, 0, "takes HTTP"),
        (http.removeprefix("http://"), 1, "scheme"),
        (f"{http}/v1/traces", 1, "/v1/traces/v1/traces"),
        (spanloom.api, 1, "4318"),
    ):
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        ended = run_spanloom("doctor", "--json", env=env)
        findings = json.loads(ended.stdout)["findings"]
        assert [finding["name"] for finding in findings] == ["exporter"], ended.stdout
        assert ended.returncode == status, ended.stdout
        assert word in findings[0]["found"] + findings[0]["todo"]


def test_a_bad_key_of_an_exporter(
    doctor: Doctor, start_spanloom: StartSpanloom, data: Path, run_spanloom: RunSpanloom
) -> None:
    made = ("keys", "create", "--all-projects", "--scopes=ingest", f"--data-dir={data}")
    key = run_spanloom(*made).stdout.split()[-1]
    spanloom = start_spanloom("serve", data_dir=data)
    http, grpc = spanloom.addresses["otlp_http"], spanloom.addresses["otlp_grpc"]
    for sent, status in ((key, "ok"), ("sl_bad", "problem")):
        headers = {"OTEL_EXPORTER_OTLP_HEADERS": f"authorization=Bearer%20{sent}"}
        for where in (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": http},
            {"OTEL_EXPORTER_OTLP_ENDPOINT": grpc, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
        ):
            doctor.examine(data, env=headers | where).expect("exporter", status, "OTEL_EXPORTER")
