"""Every ingestion API of the started command turns what clients post into a trajectory."""

from __future__ import annotations

import base64
import json
import signal
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support.ground_truth import CAPTURES, LANGFUSE, Answer, Capture, measure

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

WAIT_S = 30.0
JSON = {"Content-Type": "application/json"}
QUICK = {"SPANLOOM_NO_ROOT_QUIET_S": "2", "SPANLOOM_ROOT_QUIET_S": "0.3"}
BEARER = {"Authorization": "Bearer pat_x", **JSON}
BASIC = {"Authorization": "Basic " + base64.b64encode(b"pk:sk").decode(), **JSON}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(env=QUICK)
    started.wait_until_ready()
    return started


def post(spanloom: RunningSpanloom, path: str, body: bytes, **headers: str) -> httpx.Response:
    url = spanloom.addresses["otlp_http"] + path
    return httpx.post(url, content=body, headers={**JSON, **headers})


def await_right(spanloom: RunningSpanloom, capture: Capture) -> None:
    """Wait until the run equals its ground truth; fail with the differences if it never does."""
    until = time.monotonic() + WAIT_S
    while True:
        answers = [a for t in capture.spans_by_trace if (a := answer(spanloom, t)) is not None]
        whole = len(answers) == len(capture.spans_by_trace)
        wrong = measure(capture, answers) if whole else {"trajectories": ["missing"]}
        if not any(wrong.values()):
            return
        assert time.monotonic() < until, wrong
        time.sleep(0.1)


def answer(spanloom: RunningSpanloom, trace_id: str) -> Answer | None:
    url = f"{spanloom.api}/v1/trajectories/{trace_id}"
    found = httpx.get(url)
    if found.status_code != 200:
        return None
    spans: list[dict[str, Any]] = httpx.get(f"{url}/spans").json()["spans"]
    return Answer(found.json(), spans)


def test_cozeloop_ingest(spanloom: RunningSpanloom) -> None:
    capture = Capture("eino-cozeloop", "supervisor")
    for path, _, body in capture.posts():
        answered = post(spanloom, path, body, **BEARER)
        assert (answered.status_code, answered.json()) == (200, {"code": 0, "msg": ""})
    await_right(spanloom, capture)


def test_cozeloop_otlp_json_as_the_javascript_sdk_sends_it(spanloom: RunningSpanloom) -> None:
    capture = Capture("js-cozeloop", "react_tools")
    wire = (CAPTURES / capture.dialect / f"{capture.scenario}.wire.json").read_text()
    for said in json.loads(wire):
        body = json.dumps(said).encode()
        answered = post(spanloom, "/v1/loop/opentelemetry/v1/traces", body, **BEARER)
        assert (answered.status_code, answered.content) == (200, b"{}")
    await_right(spanloom, capture)


def test_langfuse_otlp(spanloom: RunningSpanloom) -> None:
    capture = Capture("langfuse", "react_tools")
    for body in capture.requests():
        headers = {**BASIC, "Content-Type": "application/x-protobuf"}
        answered = post(spanloom, "/api/public/otel/v1/traces", body, **headers)
        assert answered.status_code == 200
    await_right(spanloom, capture)


def test_langfuse_ingestion(spanloom: RunningSpanloom) -> None:
    capture = Capture("eino-langfuse", "supervisor")
    for path, _, body in capture.posts():
        answered = post(spanloom, path, body, **BASIC)
        events = [{"id": e["id"], "status": 201} for e in json.loads(body)["batch"]]
        assert answered.status_code == 207
        assert answered.json() == {"successes": events, "errors": []}
    await_right(spanloom, capture)


def test_langfuse_updates_survive_a_kill(start_spanloom: StartSpanloom, tmp_path: Path) -> None:
    capture = Capture("eino-langfuse", "react_tools")
    posts = list(capture.posts())
    first = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    first.wait_until_ready()
    for path, _, body in posts[:2]:
        assert post(first, path, body).status_code == 207
    first.stop(signal.SIGKILL)
    second = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    second.wait_until_ready()
    for path, _, body in posts[1:]:  # the second again, as if its answer was lost
        assert post(second, path, body).status_code == 207
    await_right(second, capture)


class LangfuseClient:
    """A client that sends one Langfuse event at a time over one connection."""

    def __init__(self, spanloom: RunningSpanloom) -> None:
        self._http = httpx.Client(base_url=spanloom.addresses["otlp_http"], timeout=WAIT_S)

    def send(self, n: int, kind: str, **body: object) -> dict[str, Any]:
        """Send the n-th event; return the answer, which has either one success or one error."""
        stamp = f"2026-11-21T02:16:00.{n:06}Z"
        event = {"id": str(n), "type": kind, "timestamp": stamp, "body": body}
        answered = self._http.post(LANGFUSE, json={"batch": [event]})
        assert answered.status_code == 207, answered.text
        document: dict[str, Any] = answered.json()
        return document


def await_document(spanloom: RunningSpanloom, trace_id: str, *texts: str) -> str:
    """Wait until a trajectory contains all the texts; return its document."""
    until = time.monotonic() + WAIT_S
    while True:
        found = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}")
        missing = [text for text in texts if text not in found.text]
        if found.status_code == 200 and not missing:
            return found.text
        assert time.monotonic() < until, (missing, found.text[:2000])
        time.sleep(0.1)


def test_a_late_langfuse_update_leaves_the_span_of_a_day_ago(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """A day is simulated by changing times in the file of known observations during a stop."""
    trace_id = "ab" * 16
    said = {"name": "planner", "model": "gpt-5", "input": "where to?", "output": "to Oslo"}
    first = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    first.wait_until_ready()
    LangfuseClient(first).send(1, "generation-create", id="o", traceId=trace_id, **said)
    await_document(first, trace_id, *said.values())
    first.stop()
    file = sqlite3.connect(tmp_path / "data" / "observations.sqlite", isolation_level=None)
    file.execute("UPDATE known SET touched_s = touched_s - 90000")
    file.close()
    second = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    second.wait_until_ready()
    client = LangfuseClient(second)
    client.send(2, "span-create", id="another", traceId="another")
    answered = client.send(3, "generation-update", id="o", traceId=trace_id, output="late")
    assert [(e["id"], e["status"]) for e in answered["errors"]] == [("3", 404)]
    client.send(4, "generation-create", id="n", traceId=trace_id, output="a neighbour")
    await_document(second, trace_id, "a neighbour", *said.values())


def test_what_langfuse_clients_were_answered_survives_a_kill_in_the_middle(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    """Four clients write to one trace; every update that was answered is in its document."""
    trace_id = "cd" * 16
    first = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    first.wait_until_ready()
    answered: list[int] = []

    def work(number: int) -> None:
        client = LangfuseClient(first)
        for n in range(number, 100_000, 8):
            try:
                client.send(n, "generation-create", id=f"o{n}", traceId=trace_id, model="m")
                client.send(n + 4, "generation-update", id=f"o{n}", output=f"answer {n}.")
            except httpx.TransportError:
                return
            answered.append(n)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + WAIT_S
    while len(answered) < 60:
        assert time.monotonic() < until, "no answers"
        time.sleep(0.01)
    first.stop(signal.SIGKILL)
    for thread in threads:
        thread.join(WAIT_S)
    second = start_spanloom(data_dir=tmp_path / "data", env=QUICK)
    second.wait_until_ready()
    await_document(second, trace_id, *(f"answer {n}." for n in answered))


def test_uploads_are_taken_and_counted(spanloom: RunningSpanloom) -> None:
    url = spanloom.addresses["otlp_http"] + "/v1/loop/files/upload"
    answered = httpx.post(
        url, files={"file": ("key", b"\x89PNG")}, data={"workspace_id": "7"}, timeout=5
    )
    assert (answered.status_code, answered.json()) == (200, {"code": 0, "msg": ""})
    metrics = httpx.get(f"{spanloom.api}/metrics").text
    assert 'spanloom_items_dropped_total{signal="files"} 1.0' in metrics


@pytest.mark.parametrize(
    ("path", "body", "kind", "status", "key"),
    [
        ("/v1/loop/traces/ingest", b"{}", "application/json", 400, "msg"),
        ("/v1/loop/traces/ingest", b"{}", "application/x-protobuf", 415, "msg"),
        (LANGFUSE, b"[", "application/json", 400, "message"),
        (LANGFUSE, b"{}", "text/plain", 415, "message"),
    ],
)
def test_refusals_have_the_form_the_sdk_reads(
    spanloom: RunningSpanloom, path: str, body: bytes, kind: str, status: int, key: str
) -> None:
    url = spanloom.addresses["otlp_http"] + path
    answered = httpx.post(url, content=body, headers={"Content-Type": kind})
    assert answered.status_code == status
    assert answered.json()[key]


def test_each_event_of_a_batch_is_answered(spanloom: RunningSpanloom) -> None:
    events = [
        {"id": "good", "type": "span-create", "body": {"id": "o", "traceId": "t", "name": "n"}},
        {"id": "bad", "type": "nonsense", "body": {}},
    ]
    answered = post(spanloom, LANGFUSE, json.dumps({"batch": events}).encode())
    assert answered.status_code == 207
    assert answered.json()["successes"] == [{"id": "good", "status": 201}]
    (error,) = answered.json()["errors"]
    assert (error["id"], error["status"]) == ("bad", 400)
