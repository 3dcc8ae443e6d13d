"""Files are imported over HTTP into a service, which is killed half-way, and then again."""

from __future__ import annotations

import gzip
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from tests.support.drafted import planner
from tests.support.ground_truth import OTLP, Capture
from tests.support.imported_files import FILE, IMPORTS, SOON_S, Told, listed, told

from spanloom.core.document import OF_THE_RUN
from spanloom.core.exchange.snorkel.writing import write_trace
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

RUNS = 150
QUICK = ("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")


def documents() -> Sequence[dict[str, Any]]:
    return [planner() | {"id": f"{n:032x}"} for n in range(1, RUNS + 1)]


def lines() -> bytes:
    """Return one run per line, and a broken line among them."""
    whole = list(map(dump, documents()))
    return b"\n".join([*whole[:3], b'{"root_step":', *whole[3:]])


def send(service: RunningSpanloom, body: bytes, **params: str) -> Told:
    headers = {"content-type": FILE}
    return told(httpx.post(service.api + IMPORTS, content=body, params=params, headers=headers))


@pytest.mark.nightly
def test_a_killed_import_is_begun_again_and_stores_each_run_once(
    start_spanloom: StartSpanloom,
) -> None:
    service = start_spanloom(*QUICK)
    service.wait_until_ready()
    with (
        suppress(httpx.TransportError),
        httpx.stream(
            "POST", service.api + IMPORTS, content=lines(), headers={"content-type": FILE}
        ) as answer,
    ):
        assert answer.status_code == 200
        rest = answer.iter_lines()
        next(rest)  # some runs are stored by now
        service.process.send_signal(signal.SIGKILL)
        list(rest)
    service = start_spanloom(*QUICK)
    service.wait_until_ready()
    again = send(service, lines())
    assert [one["place"] for one in again.rejected] == ["line 4"]
    assert {run["trace_id"] for run in again.runs} == {one["id"] for one in documents()}
    versions = listed(service, RUNS)
    once_more = send(service, gzip.compress(lines()))
    assert (once_more.end["accepted_spans"], once_more.end["unchanged_runs"]) == (0, RUNS)
    assert {run["state"] for run in once_more.runs} == {"unchanged"}
    assert listed(service, RUNS) == versions
    first = documents()[0]
    stored = httpx.get(f"{service.api}/v1/trajectories/{first['id']}").json()
    assert {key: stored[key] for key in OF_THE_RUN} == {key: first[key] for key in OF_THE_RUN}
    assert service.stop() == 0
    assert service.complaints == []


def test_a_trace_of_snorkel_goes_to_a_named_project(
    start_spanloom: StartSpanloom,
) -> None:
    service = start_spanloom(*QUICK)
    service.wait_until_ready()
    trace = write_trace(Stored(dump(planner())), Losses())
    done = send(service, trace, project="theirs")
    assert (done.end["format"], done.rejected) == ("snorkel", [])
    (run,) = done.runs
    address = f"{service.api}/v1/trajectories/{run['trace_id']}"
    ends = time.monotonic() + SOON_S
    while httpx.get(address, params={"project": "theirs"}).status_code != 200:
        assert time.monotonic() < ends
        time.sleep(0.1)
    other = orjson.loads(dump(planner()))
    other["root_step"]["output"] = other["agent_steps"][0]["output"] = "Bergen."
    refused = send(service, dump(other), project="theirs")
    assert run["trace_id"] in refused.rejected[0]["reason"]
    service.stop()


def test_the_spans_of_an_export_are_unchanged_the_second_time(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    service = start_spanloom(*QUICK)
    service.wait_until_ready()
    captures = [
        Capture("openinference-langchain", "parallel_tools"),
        Capture("mlflow", "cancelled_tool"),
    ]
    for body in (body for capture in captures for body in capture.requests()):
        headers = {"content-type": "application/x-protobuf"}
        httpx.post(service.addresses["otlp_http"] + OTLP, content=body, headers=headers)
    listed(service, len(captures))
    file = tmp_path / "spans.jsonl"
    environment = {
        "SPANLOOM_API_URL": service.api,
        "SPANLOOM_OTLP_URL": service.addresses["otlp_http"],
    }
    run_spanloom("export", "--format", "otlp", "-o", str(file), env=environment)
    sent = [orjson.loads(run_spanloom("import", str(file), env=environment).stdout) for _ in "12"]
    assert [(one["accepted_spans"], one["unchanged_runs"]) for one in sent] == [(0, 2), (0, 2)]
    copied = [send(service, file.read_bytes(), project="copies").end for _ in "12"]
    assert copied[0]["accepted_spans"] > 0
    ends = time.monotonic() + SOON_S
    while copied[-1]["unchanged_runs"] != len(captures):
        assert time.monotonic() < ends
        copied.append(send(service, file.read_bytes(), project="copies").end)
    assert copied[-1]["accepted_spans"] == 0
    service.stop()
