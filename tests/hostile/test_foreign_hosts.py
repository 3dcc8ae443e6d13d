"""A page that rebinds its own host name to our address cannot write without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from tests.hostile.test_in_flight_bound import PATHS, PROTOBUF, one_span

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

FOREIGN = ["evil.example", "evil.example:4318", "127.0.0.1.evil.example"]


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom("serve", "--api-hosts=traces.example")


def post(
    spanloom: RunningSpanloom, path: str, host: str, headers: dict[str, str]
) -> httpx.Response:
    url = spanloom.addresses["otlp_http"] + path
    sent = {**headers, "Host": host, "Origin": f"http://{host}"}
    return httpx.post(url, content=one_span(), headers=sent, timeout=20)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", FOREIGN)
def test_no_door_answers_for_a_foreign_host(
    spanloom: RunningSpanloom, path: str, host: str
) -> None:
    refused = post(spanloom, path, host, PATHS[path])
    assert refused.status_code == 421
    assert b"--api-hosts" in refused.content


@pytest.mark.parametrize("host", ["localhost:4318", "10.0.0.7", "[::1]:4318", "traces.example"])
def test_an_address_and_a_name_of_ours_are_answered(spanloom: RunningSpanloom, host: str) -> None:
    assert post(spanloom, "/v1/traces", host, PROTOBUF).status_code == 200


def test_who_has_a_key_may_ask_by_any_name(
    start_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    create = ("keys", "create", "--project=p", "--scopes=ingest", f"--data-dir={data}")
    key = {"x-api-key": run_spanloom(*create).stdout.strip()}
    spanloom = start_spanloom(data_dir=data)
    assert post(spanloom, "/v1/traces", "collector", PROTOBUF | key).status_code == 200
    assert post(spanloom, "/v1/traces", "collector", PROTOBUF).status_code == 401
