"""Routes for one step, one span and all spans of a run: what they return and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.otlp_requests import wire_span
from tests.unit.api.conftest import TRACE

from spanloom.api.runs import parts
from spanloom.api.runs import parts as one_step
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

KEY = TraceKey("default", TRACE)
PATH = f"/v1/trajectories/{TRACE}"


@pytest.fixture
def store(store: ShelfStore) -> ShelfStore:
    store.stored_documents[KEY] = orjson.dumps(canonical_example())
    store.sent[KEY] = [
        wire_span(TRACE, number << 60 | 1, name=f"span {number}") for number in range(1, 8)
    ]
    return store


def first_call() -> dict[str, Any]:
    agent = canonical_example()["agent_steps"][0]
    step: dict[str, Any] = next(s for s in agent["steps"] if s["type"] == "model")
    return {**step, "agent_id": agent["id"]}


def test_a_step_comes_with_the_agent_that_owns_it(client: TestClient) -> None:
    call = first_call()
    assert client.get(f"{PATH}/steps/{call['id'].upper()}").json() == call


def test_the_root_is_a_step_too(client: TestClient) -> None:
    document = canonical_example()
    root = client.get(f"{PATH}/steps/{document['root_step']['id']}").json()
    assert root["name"] == document["root_step"]["name"]
    assert (root["type"], root["agent_id"]) == (document["extraction"]["root_type"], "")


def test_a_step_comes_with_what_it_was_made_of(client: TestClient, store: ShelfStore) -> None:
    call = first_call()
    sent = wire_span(TRACE, int(call["id"], 16), name="as sent")
    merged = wire_span(TRACE, 1, name="told again")
    store.sent[KEY] = [merged, sent]
    verdict = {"span_id": call["id"], "step_id": call["id"], "dialect": "d", "rule": "r"}
    again = verdict | {"span_id": f"{1:016x}"}
    noise = verdict | {"span_id": f"{2:016x}", "step_id": None}
    store.stored_spans[KEY] = orjson.dumps([noise, again, verdict])
    found = client.get(f"{PATH}/steps/{call['id']}?with=spans").json()
    assert found["spans"] == [verdict, again]
    assert (found["span_count"], found["version"]) == (2, 1)
    scopes = [scope for each in found["resourceSpans"] for scope in each["scopeSpans"]]
    assert [s["name"] for scope in scopes for s in scope["spans"]] == ["as sent", "told again"]
    assert call.items() <= found.items()


def test_of_a_step_of_many_spans_some_are_given_as_sent(
    client: TestClient, store: ShelfStore
) -> None:
    call = first_call()
    ids = [call["id"], *(f"{n:016x}" for n in range(1, 1_500))]
    store.sent[KEY] = [wire_span(TRACE, int(span_id, 16)) for span_id in ids[:40]]
    store.stored_spans[KEY] = orjson.dumps([{"span_id": i, "step_id": call["id"]} for i in ids])
    found = client.get(f"{PATH}/steps/{call['id']}?with=spans").json()
    assert (found["span_count"], len(found["spans"])) == (1_500, one_step.MAX_LISTED)
    assert len(found["resourceSpans"]) == one_step.MAX_SENT


def test_a_step_of_another_version_is_refused(client: TestClient) -> None:
    path = f"{PATH}/steps/{first_call()['id']}"
    assert client.get(f"{path}?version=1").json() == first_call()
    assert client.get(f"{path}?version=2").status_code == 409


def test_texts_can_be_had_as_json(client: TestClient, store: ShelfStore) -> None:
    document: dict[str, Any] = orjson.loads(store.stored_documents[KEY])
    call = next(s for s in document["agent_steps"][0]["steps"] if s["type"] == "model")
    messages = [{"role": "user", "content": "Plan a trip."}]
    deep = "[" * 300 + "]" * 300
    call["input"], call["output"] = orjson.dumps(messages).decode(), deep
    store.stored_documents[KEY] = orjson.dumps(document)
    parsed = client.get(f"{PATH}/steps/{call['id']}?texts=parsed").json()
    assert (parsed["input"], parsed["output"]) == (messages, deep)
    whole = client.get(f"{PATH}?texts=parsed").json()
    assert messages in [s["input"] for a in whole["agent_steps"] for s in a["steps"]]
    assert client.get(PATH).json() == document


def test_of_messages_the_last_can_be_had_alone(client: TestClient, store: ShelfStore) -> None:
    document: dict[str, Any] = orjson.loads(store.stored_documents[KEY])
    call = next(s for s in document["agent_steps"][0]["steps"] if s["type"] == "model")
    asked = [{"role": role, "content": role + "?"} for role in ("user", "user", "tool")]
    calls = [{"function": {"name": "find", "arguments": "{}"}}]
    call["input"] = orjson.dumps(asked).decode()
    call["output"] = orjson.dumps([{"role": "assistant", "tool_calls": calls}]).decode()
    store.stored_documents[KEY] = orjson.dumps(document)
    last = client.get(f"{PATH}/steps/{call['id']}?texts=last").json()
    assert (last["input"], last["output"]) == ("user?", "find({})")


def test_without_asking_the_document_is_the_one_stored(client: TestClient) -> None:
    assert client.get(PATH).content == orjson.dumps(canonical_example())
    assert client.get(f"{PATH}?texts=raw").content == orjson.dumps(canonical_example())


def test_the_newest_run_has_a_path_of_its_own(client: TestClient, store: ShelfStore) -> None:
    newest = max(store.summaries, key=lambda line: line.cursor)
    assert client.get("/v1/trajectories/latest").status_code == 404
    store.stored_documents[newest.key] = b'{"id": "newest"}'
    assert client.get("/v1/trajectories/latest").json() == {"id": "newest"}
    store.summaries.clear()
    assert (
        client.get("/v1/trajectories/latest").json()["detail"] == "There are no trajectories yet."
    )


def test_a_span_is_given_as_it_was_sent(client: TestClient, store: ShelfStore) -> None:
    sent = store.sent[KEY][2]
    answer = client.get(f"{PATH}/spans/{sent.span_id.hex()}").json()
    [span] = answer["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert (span["spanId"], span["traceId"]) == (sent.span_id.hex(), TRACE)
    assert span["name"] == "span 3"
    assert span["kind"] == sent.kind


@pytest.mark.parametrize("at_once", [1, 3, 7, 2_000])
def test_all_spans_are_given_however_many_are_read_at_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(parts, "SPANS_AT_ONCE", at_once)
    groups = client.get(f"{PATH}/otlp").json()["resourceSpans"]
    spans = [s for g in groups for scope in g["scopeSpans"] for s in scope["spans"]]
    assert [span["name"] for span in spans] == [f"span {n}" for n in range(1, 8)]
    answer = client.get(f"{PATH}/otlp", headers={"Accept": "application/x-protobuf"})
    assert answer.headers["content-type"] == "application/x-protobuf"
    data = TracesData.FromString(answer.content)
    names = [s.name for r in data.resource_spans for scope in r.scope_spans for s in scope.spans]
    assert names == [f"span {n}" for n in range(1, 8)]


@pytest.mark.parametrize("at_once", [3, 2_000])
@pytest.mark.parametrize("accept", ["application/json", "application/x-protobuf"])
def test_the_parts_of_a_run_follow_the_spans_of_the_trace_that_shows_it(
    client: TestClient,
    store: ShelfStore,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
    accept: str,
) -> None:
    monkeypatch.setattr(parts, "SPANS_AT_ONCE", at_once)
    part = KEY._replace(trace_id="ee" * 16)
    store.sent[part] = [wire_span(part.trace_id, n) for n in range(1, 5)]
    store.parts_shown[KEY] = [part]
    answer = client.get(f"{PATH}/otlp", headers={"Accept": accept})
    if accept == "application/json":
        groups = answer.json()["resourceSpans"]
        found = [s["traceId"] for g in groups for sc in g["scopeSpans"] for s in sc["spans"]]
    else:
        data = TracesData.FromString(answer.content)
        scopes = [scope for group in data.resource_spans for scope in group.scope_spans]
        found = [span.trace_id.hex() for scope in scopes for span in scope.spans]
    assert found == [TRACE] * 7 + [part.trace_id] * 4


def test_a_trace_whose_spans_have_expired_is_an_empty_list(
    client: TestClient, store: ShelfStore
) -> None:
    store.sent.clear()
    assert client.get(f"{PATH}/otlp").json() == {"resourceSpans": []}


@pytest.mark.parametrize("part", ["steps/0123456789abcdef", "spans/0123456789abcdef"])
def test_what_is_not_there_is_said_to_be_missing(client: TestClient, part: str) -> None:
    assert "0123456789abcdef" in client.get(f"{PATH}/{part}").json()["detail"]
    for path in (f"{PATH}/{part}?project=other", f"/v1/trajectories/{'0' * 32}/{part}"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("bad", ["x", "0" * 15, "0" * 17, "g" * 16])
def test_an_id_that_is_none_is_refused(client: TestClient, bad: str) -> None:
    for part in ("steps", "spans"):
        assert client.get(f"{PATH}/{part}/{bad}").status_code == 422


@pytest.mark.usefixtures("store")
def test_texts_can_be_left_out(client: TestClient) -> None:
    silent = {"input": "", "output": ""}
    example, whole = canonical_example(), client.get(f"{PATH}?texts=none").json()
    assert whole["root_step"] == {**example["root_step"], **silent}
    owned = [step for agent in whole["agent_steps"] for step in (agent, *agent["steps"])]
    assert all(step | silent == step for step in owned)
    call = first_call()
    assert client.get(f"{PATH}/steps/{call['id']}?texts=none").json() == call | silent
