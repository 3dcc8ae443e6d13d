"""A test session is sent to a service: first runs as OTLP, then scores of one experiment."""

from __future__ import annotations

from typing import Any

import httpx
import orjson
import pytest

from spanloom.client.client import Client
from spanloom.testing.blocks import Block
from spanloom.testing.sending import experiment_name, send_session

IDS = [str(n) * 32 for n in (1, 2, 3)]
TAKEN = {"trace_id": IDS[0], "state": "taken"}


def record(trace_id: str, started_at: int, name: str) -> dict[str, Any]:
    span = {"traceId": trace_id, "spanId": "1" * 16, "name": "planner"}
    group = {"scopeSpans": [{"spans": [span]}]}
    return {
        "started_at": started_at,
        "run": {"trace_id": trace_id, "project": "default", "version": 1},
        "spans": [group],
        "scores": [{"trace_id": trace_id, "name": name, "author": "limits", "value": True}],
    }


TESTS = {
    "b.py::test_two": [record(IDS[1], 9, "x"), record(IDS[0], 5, "x"), record(IDS[0], 5, "y")],
    "a.py::test_one": [record(IDS[2], 1, "x")],
}


class Service:
    """A service that notes its requests and gives the answers of the test."""

    def __init__(self, *lines: object, status: int = 200) -> None:
        self.lines, self.status = lines, status
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if request.url.path != "/v1/imports":
            return httpx.Response(200, json={"stored": 1, "waiting": 0})
        body = b"".join(orjson.dumps(line) + b"\n" for line in self.lines)
        if self.status != 200:
            return httpx.Response(self.status, json={"detail": "It takes no spans."})
        return httpx.Response(200, content=body, headers={"content-type": "application/x-ndjson"})

    def client(self) -> Client:
        return Client("http://spanloom.test", tries=1, transport=httpx.MockTransport(self))


def test_runs_are_sent_once_and_scores_have_their_places() -> None:
    service = Service(*[TAKEN] * 3, {"end": True})
    sent = send_session(service.client(), "nightly", TESTS)
    assert (sent.runs, sent.scores, sent.fault) == (3, 4, "")
    runs, scores = service.asked
    lines = [orjson.loads(line) for line in runs.content.splitlines()]
    ids = [line["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] for line in lines]
    assert ids == [IDS[1], IDS[0], IDS[2]]
    items = orjson.loads(scores.content)["items"]
    assert {item["experiment"] for item in items} == {"nightly"}
    assert [(item["item"], item.get("repeat", 0), item["name"]) for item in items] == [
        ("a.py::test_one", 0, "x"),
        ("b.py::test_two", 1, "x"),
        ("b.py::test_two", 0, "x"),
        ("b.py::test_two", 0, "y"),
    ]


def test_what_is_refused_is_told() -> None:
    service = Service(TAKEN, {"place": "line 2", "reason": "too old"}, {"end": True})
    sent = send_session(service.client(), "nightly", TESTS)
    assert (sent.runs, sent.scores, sent.fault) == (1, 4, "a run was refused: too old")
    service = Service({"error": "the disk is full"})
    sent = send_session(service.client(), "nightly", TESTS)
    assert (sent.runs, sent.scores, sent.fault) == (0, 0, "the disk is full")


@pytest.mark.parametrize("status", [401, 403, 501])
def test_a_service_that_refuses_is_no_exception(status: int) -> None:
    sent = send_session(Service(status=status).client(), "nightly", TESTS)
    assert (sent.runs, sent.scores) == (0, 0)
    assert sent.fault


def test_nothing_judged_sends_nothing() -> None:
    service = Service()
    assert send_session(service.client(), "nightly", {}).fault == ""
    assert not service.asked


def test_each_session_has_a_name_of_its_own() -> None:
    assert experiment_name().startswith("pytest 20")


def test_a_block_knows_the_spans_of_each_trace() -> None:
    groups = [record(trace_id, 0, "x")["spans"][0] for trace_id in IDS]
    assert Block(groups).spans_of(IDS[1]) == [groups[1]]
    assert Block(groups).spans_of("4" * 32) == []
