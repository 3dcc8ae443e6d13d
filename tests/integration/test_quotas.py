"""Quotas of stored bytes: reached, kept after restarts, freed by deletion, per project only."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import httpx
from tests.integration.test_rates import ingest_key
from tests.support.otlp_requests import message_of, wire_span

from spanloom.collector.doors.status import Encoding

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

KIB = 1024
QUOTA = 64 * KIB
FULL_S = 30.0
"""Seconds to wait, generously: stored bytes count after 2 s, deleted ones 1 or 2 s later."""
PROTOBUF = {"content-type": Encoding.PROTOBUF.value}


def body(number: int, *projects: str) -> bytes:
    """Make a request with 100 KiB for each project, or without a project if none is given."""
    spans = [wire_span(f"{number:032x}", 1, attributes={"text": "x" * 100 * KIB})]
    request = message_of(spans, {"spanloom.project": projects[0]} if projects else {})
    for project in projects[1:]:
        request.MergeFrom(message_of(spans, {"spanloom.project": project}))
    return request.SerializeToString()


def send(service: RunningSpanloom, content: bytes, key: str = "") -> httpx.Response:
    url = f"{service.addresses['otlp_http']}/v1/traces"
    headers = PROTOBUF | ({"x-api-key": key} if key else {})
    answer = httpx.post(url, content=content, headers=headers, timeout=20)
    assert (answer.status_code == 429) == ("retry-after" in answer.headers)
    return answer


def statuses(service: RunningSpanloom, keys: Sequence[str], number: int) -> list[int]:
    return [send(service, body(number, "p"), key).status_code for key in keys]


def await_status(service: RunningSpanloom, key: str, expected: int) -> None:
    until = time.monotonic() + FULL_S
    while send(service, body(9, "p"), key).status_code != expected:
        assert time.monotonic() < until, f"not answered {expected}"
        time.sleep(0.2)


def test_a_full_project_stays_full_until_it_is_deleted_and_no_other_is(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    full, other = keys = [ingest_key(run_spanloom, project, data) for project in ("full", "other")]
    create = ("keys", "create", "--all-projects", "--scopes=admin", f"--data-dir={data}")
    admin = {"SPANLOOM_API_KEY": run_spanloom(*create).stdout.strip()}
    limits = tmp_path / "limits.toml"
    limits.write_text(f"[projects.full]\nstored_bytes = {QUOTA}\n")
    quota = ("serve", f"--limits-file={limits}")
    service = start_spanloom(*quota, data_dir=data)
    service.wait_until_ready()
    assert statuses(service, keys, 1) == [200, 200]
    assert statuses(service, keys, 2) == [429, 200], "what is accepted counts at once"
    time.sleep(3)
    assert statuses(service, keys, 3) == [429, 200], "what is stored counts"
    assert service.stop(signal.SIGKILL) == -signal.SIGKILL
    service = start_spanloom(*quota, data_dir=data)
    service.wait_until_ready()
    assert statuses(service, keys, 4) == [429, 200], "after a restart it counts too"
    delete = ("delete", "--project=full", "--yes", f"--api-url={service.api}")
    deleted = run_spanloom(*delete, env=admin)
    assert deleted.returncode == 0, deleted.stderr
    await_status(service, full, 200)
    await_status(service, full, 429)
    limits.write_text("")  # the service reads it again
    await_status(service, full, 200)
    assert send(service, body(5, "p"), other).status_code == 200
    assert service.stop() == 0


def test_of_senders_without_a_project_each_resource_counts_for_its_own(
    start_spanloom: StartSpanloom,
) -> None:
    service = start_spanloom("serve", f"--project-stored-bytes={QUOTA}")
    service.wait_until_ready()
    assert send(service, body(1, "full")).status_code == 200
    answer = send(service, body(2, "full"))
    assert answer.status_code == 429, "nothing of it can be taken"
    assert b"quota" in answer.content
    mixed = send(service, body(3, "full", "beside"))
    assert mixed.status_code == 200, "the neighbour in the same request is taken"
    assert b"quota of stored bytes (1)" in mixed.content
    assert send(service, body(4, "beside")).status_code == 429
    assert service.stop() == 0
