"""Life of the real process: its first line, signals, restarts, and one-line errors."""

from __future__ import annotations

import resource
import signal
import socket
import time
from typing import TYPE_CHECKING

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from tests.support.memory_of import resident_bytes
from tests.support.settling import await_under_way

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

IDLE_BYTES = 300 << 20
"""Maximum memory of an idle service, in bytes; docs/operations.md says what uses it."""
NO_PORTS = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")


def _request(number: int) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id = (number + 1).to_bytes(16, "big")
    span.span_id = (number + 1).to_bytes(8, "big")
    span.name = f"span {number}"
    span.start_time_unix_nano = time.time_ns()
    span.end_time_unix_nano = span.start_time_unix_nano + 1_000_000
    return request


def _send(spanloom: RunningSpanloom, *requests: ExportTraceServiceRequest) -> None:
    target = spanloom.addresses["otlp_grpc"].removeprefix("http://")
    with grpc.insecure_channel(target) as channel:
        stub = TraceServiceStub(channel)
        for request in requests:
            assert not stub.Export(request, timeout=20).partial_success.rejected_spans


def _known(spanloom: RunningSpanloom) -> set[str]:
    items = httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any&limit=1000").json()["items"]
    return {item["trace_id"] for item in items}


def _await_known(spanloom: RunningSpanloom, count: int) -> None:
    until = time.monotonic() + 30
    while len(_known(spanloom)) < count:
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.1)


def test_the_first_line_says_where_and_sigterm_ends_with_0(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    spanloom = start_spanloom(fresh=True)
    assert str(spanloom.addresses["pid"]) == str(spanloom.process.pid)
    assert resident_bytes(spanloom.process.pid) < IDLE_BYTES
    assert spanloom.addresses["data_dir"] == str(tmp_path / "data")
    spanloom.wait_until_ready()
    for name in ("otlp_grpc", "otlp_http", "api"):
        port = int(spanloom.addresses[name].rpartition(":")[2])
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    assert spanloom.stop() == 0
    assert spanloom.complaints == []


def test_what_was_acknowledged_before_sigterm_is_there_after_the_next_start(
    start_spanloom: StartSpanloom,
) -> None:
    first = start_spanloom("serve", "--batch-wait-s=30", "--root-quiet-s=0")
    _send(first, *map(_request, range(20)))
    assert first.stop() == 0
    second = start_spanloom("serve", "--root-quiet-s=0")
    _await_known(second, 20)
    assert second.stop() == 0


def test_what_a_kill_leaves_in_the_spool_is_stored_by_the_next_start(
    start_spanloom: StartSpanloom,
) -> None:
    first = start_spanloom("serve", "--batch-wait-s=60", fresh=True)
    _send(first, *map(_request, range(20)))
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    second = start_spanloom("serve", "--root-quiet-s=0")
    _await_known(second, 20)
    assert second.stop(signal.SIGINT) == 0, "as SIGTERM"


def test_a_second_signal_ends_at_once(start_spanloom: StartSpanloom) -> None:
    spanloom = start_spanloom("serve", "--shutdown-s=60")
    port = int(spanloom.addresses["otlp_http"].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        head = b"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n"
        head += b"Content-Type: application/x-protobuf\r\n"
        client.sendall(head + b"Content-Length: 9\r\n\r\nab")  # unfinished, so the stop waits
        await_under_way(spanloom.api)
        spanloom.process.send_signal(signal.SIGTERM)
        while httpx.get(f"{spanloom.api}/readyz").status_code != 503:
            time.sleep(0.05)
        assert spanloom.process.poll() is None
        assert spanloom.stop(signal.SIGTERM) == 128 + signal.SIGTERM


@pytest.mark.parametrize("option", ["--otlp-grpc-port", "--otlp-http-port", "--api-port"])
def test_a_port_in_use_is_one_line_and_status_1(
    option: str, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_spanloom(
            "serve", *NO_PORTS, f"{option}={port}", f"--data-dir={tmp_path}", "--log-level=error"
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"spanloom: cannot listen on 127.0.0.1:{port}")
    assert option in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


def test_a_directory_in_use_is_one_line_and_harms_nobody(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    first = start_spanloom()
    ended = run_spanloom("serve", *NO_PORTS, f"--data-dir={tmp_path / 'data'}")
    assert ended.returncode == 1
    assert f"in use by process {first.process.pid}" in ended.stderr
    assert ended.stderr.count("\n") == 1
    first.wait_until_ready()
    assert first.stop() == 0


def test_a_directory_that_cannot_be_made_is_one_line(
    run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    ended = run_spanloom("serve", *NO_PORTS, f"--data-dir={tmp_path / 'file' / 'data'}")
    assert ended.returncode == 1
    assert "cannot use the data directory" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_an_unwritable_directory_is_one_line(run_spanloom: RunSpanloom) -> None:
    ended = run_spanloom("serve", *NO_PORTS, "--data-dir=/sys/spanloom")  # even root may not
    assert ended.returncode == 1
    assert "make it writable" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_directory_of_a_newer_version_is_one_line(
    run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    (tmp_path / "FORMAT").write_text("999\n")
    ended = run_spanloom("serve", *NO_PORTS, f"--data-dir={tmp_path}")
    assert ended.returncode == 1
    assert "newer Spanloom" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_migrate_prepares_a_store_that_collect_alone_then_fills(
    run_spanloom: RunSpanloom, start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    ended = run_spanloom("migrate", f"--data-dir={tmp_path / 'data'}", "--log-level=error")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "up to date" in ended.stdout
    spanloom = start_spanloom("collect")
    spanloom.wait_until_ready()
    assert b"spanloom_spans_accepted_total" in httpx.get(f"{spanloom.api}/metrics").content
    assert httpx.get(f"{spanloom.api}/v1/trajectories").status_code == 404
    assert spanloom.stop() == 0


def test_a_spool_that_cannot_be_written_ends_the_process_instead_of_acknowledging(
    start_spanloom: StartSpanloom,
) -> None:
    spanloom = start_spanloom("serve", "--shutdown-s=1", "--batch-wait-s=30")
    spanloom.wait_until_ready()
    # From here on no file may grow beyond this size: writing fails with an I/O error.
    resource.prlimit(spanloom.process.pid, resource.RLIMIT_FSIZE, (65_536, 65_536))
    with pytest.raises(grpc.RpcError) as refusal:
        _send(spanloom, *map(_request, range(50)))
    assert refusal.value.code() is grpc.StatusCode.UNAVAILABLE
    assert spanloom.process.wait(30) == 1
    assert "so requests can no longer be acknowledged" in spanloom.log.splitlines()[-1]
