"""Reading trajectories over HTTP."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.filters import filtered
from tests.support.listed_runs import of_trace
from tests.unit.api.conftest import summary

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.continuations import Continuation

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_a_document_comes_as_it_is_stored(client: TestClient) -> None:
    answer = client.get(f"/v1/trajectories/{TRACE}")
    assert answer.content == b'{"id": "as stored"}'
    assert answer.headers["content-type"] == "application/json"


def test_a_document_is_not_sent_again_to_who_has_it(client: TestClient, store: Any) -> None:
    path = f"/v1/trajectories/{TRACE}"
    etag = client.get(path).headers["etag"]
    same = client.get(path, headers={"if-none-match": f'"other", {etag}'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    store.stored_documents[TraceKey("default", TRACE)] = b'{"id": "grown"}'
    grown = client.get(path, headers={"if-none-match": etag})
    assert (grown.status_code, grown.content) == (200, b'{"id": "grown"}')
    assert grown.headers["etag"] != etag


def test_trace_ids_are_known_in_either_case(client: TestClient) -> None:
    assert client.get(f"/v1/trajectories/{TRACE.upper()}").status_code == 200
    assert client.get(f"/v1/trajectories/{TRACE.upper()}/spans").json()["trace_id"] == TRACE


def test_spans_come_with_their_trace(client: TestClient) -> None:
    answer = client.get(f"/v1/trajectories/{TRACE}/spans")
    assert answer.json() == {"trace_id": TRACE, "spans": [{"span_id": "s"}]}


def test_a_project_is_looked_in_when_named(client: TestClient, store: Any) -> None:
    store.stored_documents[TraceKey("other", TRACE)] = b"{}"
    ask = f"/v1/trajectories/{TRACE}?project="
    assert client.get(ask + "other").content == b"{}"
    assert client.get(ask + "default").content == b'{"id": "as stored"}'
    missing = client.get(ask + "third")
    assert missing.status_code == 404
    assert "in project 'third'" in missing.json()["detail"]


def test_an_unknown_format_names_those_there_are(client: TestClient) -> None:
    assert client.get(f"/v1/trajectories/{TRACE}?format=canonical").status_code == 200
    refused = client.get(f"/v1/trajectories/{TRACE}?format=csv")
    assert refused.status_code == 422
    assert "known are atif, canonical, chat, coze" in refused.json()["detail"]


def test_the_list_is_newest_first(client: TestClient) -> None:
    page = client.get("/v1/trajectories").json()
    assert [int(item["trace_id"], 16) for item in page["items"]] == [6, 5, 4, 3, 2, 1, 0]
    assert page["next_cursor"] is None
    assert page["items"][0] == {
        "trace_id": f"{6:032x}",
        "project": "default",
        "version": 1,
        "status": "settled",
        "root_name": "team",
        "root_type": "graph",
        "started_at": "1715400000000",
        "duration": "2",
        "has_error": False,
        "outcome": "ok",
        "failures": 0,
        "agent_names": ["a"],
        "step_counts": {"agent": 1},
        "span_count": 3,
        "input_tokens": 10,
        "output_tokens": 5,
        "cost": None,
        "dialects": ["openinference"],
        "conversation_id": None,
        "question": "",
        "answer": "",
        "models": [],
        "services": [],
        "environment": None,
        "release": None,
        "error_type": None,
        "error_message": None,
        "user_id": None,
        "tags": [],
        "model_time": "0",
        "tool_time": "0",
        "longest_repeat": 0,
        "duplicate_of": None,
        "resumes": None,
        "resumed_by": None,
    }


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7])
def test_pages_follow_each_other_without_gap_or_repeat(client: TestClient, limit: int) -> None:
    seen: list[int] = []
    cursor: dict[str, str] = {}
    for _ in range(8):
        page = client.get("/v1/trajectories", params={"limit": str(limit), **cursor}).json()
        seen += [int(item["trace_id"], 16) for item in page["items"]]
        if page["next_cursor"] is None:
            break
        assert len(page["items"]) == limit
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [6, 5, 4, 3, 2, 1, 0]


def test_pages_of_a_relative_range_go_on_as_time_passes(client: TestClient, store: Any) -> None:
    asked = {"since": "2800w", "limit": "2"}
    first = client.get("/v1/trajectories", params=asked).json()
    time.sleep(0.002)  # the relative range now begins later
    second = client.get("/v1/trajectories", params={**asked, "cursor": first["next_cursor"]}).json()
    assert [int(item["trace_id"], 16) for item in first["items"] + second["items"]] == [6, 5, 4, 3]
    begins = [where.parts[0].value for _, where in store.asked]
    assert begins[0] < begins[1]
    other = {"since": "2799w", "cursor": first["next_cursor"]}
    assert client.get("/v1/trajectories", params=other).status_code == 422


@pytest.mark.parametrize("since", ["7", "-7d", "0d", "7y", "7d ago", "9999999d", ""])
def test_what_is_no_range_is_refused(since: str, client: TestClient) -> None:
    answer = client.get("/v1/trajectories", params={"since": since})
    assert (answer.status_code == 422) is (since != "7")  # "7": milliseconds since the epoch


def test_every_filter_reaches_the_store(client: TestClient, store: Any) -> None:
    client.get(
        "/v1/trajectories?project=p&since=2026-01-31T12:00:00Z&until=1769860800001&status=partial"
        "&root_name=team&has_error=true&outcome=failed&duplicate=false&has_steps=true&agent=math"
    ).raise_for_status()
    [(reach, where)] = store.asked
    assert reach == Reach.only("p")
    assert where == filtered(
        since=1_769_860_800_000_000_000,
        until=1_769_860_800_001_000_000,
        status=Status.PARTIAL,
        root_name="team",
        has_error=True,
        outcome=Outcome.FAILED,
        duplicate=False,
        has_steps=True,
        agent="math",
    )


@pytest.mark.parametrize(
    ("asked", "wanted"), [("", False), ("false", False), ("true", True), ("any", None)]
)
@pytest.mark.parametrize("path", ["/v1/trajectories", "/v1/conversations/c"])
def test_what_repeats_a_run_has_to_be_asked_for(
    client: TestClient, store: Any, path: str, asked: str, wanted: bool | None
) -> None:
    client.get(path, params={"duplicate": asked} if asked else {})
    assert store.asked[-1][1] == filtered(
        duplicate=wanted, has_steps=None if wanted is None else True
    )


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, True),
        ({"has_steps": "true"}, True),
        ({"has_steps": "false"}, False),
        ({"has_steps": "any"}, None),
        ({"where": "not has_steps"}, None),
        ({"where": f'trace_id = "{TRACE}"'}, None),
        ({"where": "steps = 0 and has_steps", "has_steps": "false"}, False),
        ({"where": 'user = "steps" or user = "a \\" trace_id"'}, True),
        ({"where": "model_steps = 0"}, True),
    ],
)
def test_runs_without_a_step_have_to_be_asked_for(
    client: TestClient, store: Any, asked: dict[str, str], wanted: bool | None
) -> None:
    for method in ("GET", "POST"):
        answer = (
            client.get("/v1/trajectories", params=asked)
            if method == "GET"
            else client.post("/v1/trajectories/search", json=asked)
        )
        assert answer.status_code == 200, answer.text
        assert store.asked[-1][1] == filtered(duplicate=False, has_steps=wanted)


def test_nothing_else_is_a_word_for_it(client: TestClient) -> None:
    answer = client.get("/v1/trajectories?duplicate=maybe")
    assert answer.status_code == 422
    assert "duplicate" in answer.text


@pytest.mark.parametrize("path", [f"/v1/trajectories/{TRACE}", "/v1/trajectories/latest"])
def test_a_document_names_the_runs_that_go_on_with_each_other(
    client: TestClient, store: Any, path: str
) -> None:
    key = TraceKey("default", TRACE)
    stored = b'{"id":"x","extraction":{"version":1,"is_resuming":true}}'
    store.stored_documents[key] = stored
    store.summaries = [of_trace(summary(9), key)]
    assert client.get(path).content == stored
    store.continuations[key] = Continuation("a" * 32, "b" * 32)
    told = (
        b'{"id":"x","extraction":{"version":1,"is_resuming":true,"resumes":"%b","resumed_by":"%b"}}'
    )
    assert client.get(path).content == told % (b"a" * 32, b"b" * 32)
    store.stored_documents[key] = b'{"id":"x","extraction":{"version":1}}'
    assert client.get(path).content == store.stored_documents[key]
