"""Invariant's own SDK as the client of a started service: it pushes, appends, sets metadata."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from invariant_sdk.client import Client
from invariant_sdk.types.exceptions import (
    InvariantAuthError,
    InvariantError,
    InvariantNotFoundError,
)
from tests.support.drafted import planner
from tests.support.exchange_validators.invariant import ANALYZER, analyze, find_analyzer, lines_of

from spanloom.core.document import Document
from spanloom.core.exchange.invariant.writer import encode_invariant
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

    Json = dict[str, Any]

WAIT_S = 30.0
POLICY = """
raise "asked about Bergen" if:
    (call: ToolCall)
    call is tool:weather({"city": "Bergen"})
"""
QUICK = ("serve", "--root-quiet-s=0.3", "--no-root-quiet-s=1")
ASKED = {"role": "user", "content": "Is Oslo dry?"}
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "weather", "arguments": {"city": "Oslo"}},
        }
    ],
}
RAN = {"role": "tool", "tool_call_id": "c1", "content": "dry"}
ANSWERED = {"role": "assistant", "content": "It is."}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(*QUICK)
    started.wait_until_ready()
    return started


def client_of(spanloom: RunningSpanloom, key: str = "any") -> Client:
    return Client(api_url=spanloom.addresses["otlp_http"], api_key=key)


def await_run(
    api: str, trace_id: str, holds: Callable[[Document], bool], key: str = ""
) -> Document:
    """Wait for a run's document for which ``holds`` is true, and return it."""
    url, until = f"{api}/v1/trajectories/{trace_id}", time.monotonic() + WAIT_S
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    shown: object = None
    while time.monotonic() < until:
        answer = httpx.get(url, headers=headers)
        shown = answer.text
        if answer.status_code == 200 and holds(document := Document(answer.json())):
            return document
        time.sleep(0.1)
    raise AssertionError(shown)


def await_scores(api: str, trace_id: str) -> list[dict[str, Any]]:
    """Wait for the scores of a run, which are stored right after it, and return them."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        found: list[dict[str, Any]] = httpx.get(
            f"{api}/v1/scores", params={"trace_id": trace_id}
        ).json()["items"]
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(trace_id)


def types_of(document: Document) -> list[tuple[str, str]]:
    return [(step.type, step.output) for step in document.steps]


def test_a_pushed_run_is_an_agent_with_calls_and_tools(spanloom: RunningSpanloom) -> None:
    pushed = client_of(spanloom).create_request_and_push_trace(
        messages=[[ASKED, CALLED, RAN, ANSWERED], [ASKED]],
        annotations=[[{"content": "right", "address": "messages[3].content:L0"}], []],
        metadata=[{"name": "forecaster", "team": "north"}, {}],
        dataset="weather-1",
    )
    first, second = pushed.id
    assert (pushed.dataset, pushed.username) == ("weather-1", "default")
    document = await_run(spanloom.api, first, lambda d: len(list(d.steps)) == 3)
    root, (_, tool, last) = document.root, document.steps
    assert (root.name, root.input, root.output) == ("forecaster", "Is Oslo dry?", "It is.")
    assert (tool.name, tool.input, tool.output) == ("weather", '{"city":"Oslo"}', "dry")
    assert tool.metadata["tool_call_id"] == "c1"
    assert (last.type, "It is." in last.output) == ("model", True)
    told = document.extraction
    assert told.metadata == {"name": "forecaster", "team": "north", "dataset": "weather-1"}
    assert (told.dialects, told.outcome) == (["invariant"], "ok")
    await_run(spanloom.api, second, lambda d: d.root.name == "weather-1")
    (score,) = await_scores(spanloom.api, first)
    assert (score["step_id"], score["value"], score["value_type"]) == (last.id, "right", "text")
    assert score["evidence"][0]["address"] == "messages[3].content:L0"


def test_appended_messages_are_merged_by_time(spanloom: RunningSpanloom) -> None:
    client = client_of(spanloom)
    timed = {**ASKED, "timestamp": "2026-03-01T12:00:00Z"}
    (trace_id,) = client.create_request_and_push_trace(messages=[[timed]]).id
    client.create_request_and_append_messages(
        [{**ANSWERED, "timestamp": "2026-03-01T14:00:09+02:00"}], trace_id
    )
    before = await_run(spanloom.api, trace_id, lambda d: "It is." in d.root.output)
    for late in (CALLED, RAN):  # both of one time, between the others, in order of arrival
        message = {**late, "timestamp": "2026-03-01T12:00:05"}
        answered = client.create_request_and_append_messages([message], trace_id)
        assert answered == {"success": True}
    document = await_run(spanloom.api, trace_id, lambda d: len(list(d.steps)) == 3)
    assert [step.type for step in document.steps] == ["model", "tool", "model"]
    assert [step.output for step in document.steps if step.type == "tool"] == ["dry"]
    assert document.root.duration == 9_000
    assert document.extraction.version > before.extraction.version
    assert document.extraction.status_text != "partial"


def test_sent_again_with_its_times_an_append_changes_nothing(spanloom: RunningSpanloom) -> None:
    client = client_of(spanloom)
    (trace_id,) = client.create_request_and_push_trace(messages=[[ASKED]]).id
    for _ in range(2):
        message = {**ANSWERED, "timestamp": "2100-01-01T00:00:00Z"}
        client.create_request_and_append_messages([message], trace_id)
    after = {**ASKED, "timestamp": "2100-01-01T00:00:01Z"}
    client.create_request_and_append_messages([after], trace_id)
    document = await_run(spanloom.api, trace_id, lambda d: any(not out for _, out in types_of(d)))
    assert [kind for kind, _ in types_of(document)] == ["model", "model"]


def test_metadata_of_a_dataset_is_accepted_and_counted(spanloom: RunningSpanloom) -> None:
    client = client_of(spanloom)
    told = client.create_request_and_update_dataset_metadata("weather-1", metadata={"accuracy": 1})
    assert told == {"accuracy": 1}
    metrics = httpx.get(f"{spanloom.api}/metrics").text
    assert 'spanloom_items_dropped_total{signal="invariant_dataset_metadata"} 1.0' in metrics
    with pytest.raises(InvariantError):
        client.create_request_and_update_dataset_metadata("no/name", metadata={"accuracy": 1})


def test_a_trace_that_cannot_be_is_not_found(spanloom: RunningSpanloom) -> None:
    for wrong in ("nowhere", "0" * 32, "..%2fpush"):
        with pytest.raises(InvariantNotFoundError):
            client_of(spanloom).create_request_and_append_messages([ASKED], wrong)


def test_keys_close_projects(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    """A run belongs to the project of its key; an append with another key is another run."""
    data = f"--data-dir={tmp_path / 'data'}"
    made = {
        name: run_spanloom("keys", "create", f"--project={name}", "--scopes=ingest,read", data)
        for name in ("north", "south")
    }
    keys = {name: run.stdout.strip() for name, run in made.items()}
    reads = run_spanloom("keys", "create", "--project=north", "--scopes=read", data).stdout.strip()
    spanloom = start_spanloom(*QUICK, data_dir=tmp_path / "data")
    spanloom.wait_until_ready()
    with pytest.raises(InvariantAuthError):
        client_of(spanloom).create_request_and_push_trace(messages=[[ASKED]])
    with pytest.raises(InvariantError):
        client_of(spanloom, reads).create_request_and_push_trace(messages=[[ASKED]])
    pushed = client_of(spanloom, keys["north"]).create_request_and_push_trace(messages=[[ASKED]])
    assert pushed.username == "north"
    (trace_id,) = pushed.id
    client_of(spanloom, keys["south"]).create_request_and_append_messages([ANSWERED], trace_id)
    ours = await_run(spanloom.api, trace_id, lambda d: bool(d.root.name), keys["north"])
    theirs = await_run(spanloom.api, trace_id, lambda d: bool(d.root.name), keys["south"])
    assert (ours.root.input, ours.root.output) == ("Is Oslo dry?", "")
    assert "Is Oslo dry?" not in str(theirs.json)


def test_what_was_answered_survives_a_kill(start_spanloom: StartSpanloom, tmp_path: Path) -> None:
    place = tmp_path / "data"
    spanloom = start_spanloom(*QUICK, data_dir=place)
    client = client_of(spanloom)
    (trace_id,) = client.create_request_and_push_trace(messages=[[ASKED, CALLED]]).id
    client.create_request_and_append_messages([RAN, ANSWERED], trace_id)
    assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    again = start_spanloom(*QUICK, data_dir=place)
    document = await_run(again.api, trace_id, lambda d: "It is." in d.root.output)
    assert [step.type for step in document.steps] == ["model", "tool", "model"]


@pytest.mark.service
def test_the_analyzer_finds_the_call_of_a_policy() -> None:
    if (python := find_analyzer()) is None:
        pytest.skip(f"needs {ANALYZER}, the Python of an environment with invariant-ai")
    lines = lines_of(encode_invariant(Stored(dump(planner())), Losses()))
    assert analyze(python, POLICY, [line["messages"] for line in lines]) == [1, 0]
