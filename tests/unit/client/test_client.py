"""``spanloom.Client`` against the real API: typed results, whole lists, errors by their kind."""

from __future__ import annotations

import io
import os
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import httpx
import orjson
import pytest
from tests.support.isolation import make_twins
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom import AsyncClient, Client
from spanloom.api.runs.examples import LIST
from spanloom.client import (
    ApiError,
    ClientError,
    ForbiddenError,
    InvalidParameterError,
    NotFoundError,
    NotSpanloomError,
    TimedOutError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
    models,
)
from spanloom.client import request as request_module
from spanloom.client.calls import runs as calls
from spanloom.client.calls import walks
from spanloom.client.calls.lists import trajectories
from spanloom.client.request import Call, body_of, get
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Kind, Status
from spanloom.process.serving import bind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel
    from tests.unit.client.conftest import World


RUN: dict[str, Any] = LIST["content"]["application/json"]["example"]["items"][0]


def answering(handle: Callable[[httpx.Request], httpx.Response]) -> Client:
    return Client("http://localhost", tries=1, transport=httpx.MockTransport(handle))


@pytest.mark.parametrize(
    ("count", "page", "limit"), [(7, 3, None), (6, 3, None), (7, 3, 5), (2, 3, 9)]
)
def test_a_list_is_paged_to_its_end(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch, count: int, page: int, limit: int
) -> None:
    monkeypatch.setattr(walks, "PAGE_ITEMS", page)
    keys = [world.write(n).trace_id for n in range(1, count + 1)]
    found = [run.trace_id for run in client.trajectories(limit=limit)]
    assert found == keys[::-1][:limit]


def test_a_short_page_is_not_the_end() -> None:
    """Only ``next_cursor`` shows where a list ends; how full a page is does not."""
    pages = {None: {"items": [], "next_cursor": "a"}, "a": {"items": [], "next_cursor": None}}
    asked: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get("cursor"))
        return httpx.Response(200, json=pages[asked[-1]])

    with answering(handle) as client:
        assert list(client.trajectories()) == []
    assert asked == [None, "a"]


def test_a_document_is_given_again_only_when_it_is_another(world: World, client: Client) -> None:
    trace_id = world.write(1).trace_id
    first = client.newer_document(trace_id, "")
    assert first is not None
    assert first.body == client.document(trace_id)
    assert client.newer_document(trace_id, first.etag) is None
    with pytest.raises(NotFoundError):
        client.newer_document("0" * 32, first.etag)


def test_runs_are_typed(world: World, client: Client) -> None:
    world.write(1)
    (run,) = client.trajectories()
    assert (run.status, run.root_type, run.project) == (Status.SETTLED, Kind.AGENT, "p")
    assert run.started_at == 1_700_000_001_000
    assert run.step_counts["model"] == 1


def test_filters_reach_the_api(world: World, client: Client) -> None:
    for n in range(1, 5):
        world.write(n, project="even" if n % 2 == 0 else "odd")
    second = datetime.fromtimestamp(1_700_000_002, UTC)
    assert [r.project for r in client.trajectories(project="even")] == ["even", "even"]
    since = client.trajectories(since=second, until=second + timedelta(seconds=2))
    assert [int(r.trace_id, 16) for r in since] == [3, 2]
    assert [int(r.trace_id, 16) for r in client.trajectories(since=1_700_000_004_000)] == [4]
    assert list(client.trajectories(since="2027-01-16", until="2027-01-17")) == []
    assert list(client.trajectories(has_error=True)) == []
    assert list(client.trajectories(agent="nobody")) == []
    assert len(list(client.trajectories(has_error=False, status=Status.SETTLED))) == 4


def test_a_long_question_is_asked_in_a_body(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [world.write(n).trace_id for n in range(1, 6)]
    monkeypatch.setattr(walks, "PAGE_ITEMS", 2)
    some = {"where": "duration >= 0ms", "since": 1_700_000_002_000, "has_steps": True}
    other = {"status": Status.SETTLED, "duplicate": None, "has_error": False, "order": "-start"}
    wanted = client.trajectories(**some, **other).to_arrow()  # type: ignore[arg-type]
    assert wanted["trace_id"].to_pylist() == keys[:0:-1]
    for most in (10_000, 0):
        monkeypatch.setattr(request_module, "MOST_IN_ADDRESS", most)
        found = client.trajectories(**some, **other)  # type: ignore[arg-type]
        assert [run.trace_id for run in found] == keys[:0:-1]
        assert [run["trace_id"] for run in found.rows("trace_id")] == keys[:0:-1]
        assert found.to_arrow() == wanted


def test_a_question_that_fits_nowhere_is_an_error_of_ours(client: Client) -> None:
    with pytest.raises(ClientError, match="does not fit into a URL"):
        list(client.search("x" * 70_000))
    with pytest.raises(ApiError, match="A body may have 65536 bytes"):
        list(client.trajectories(f'user = "{"x" * 70_000}"'))


def test_a_run_with_its_steps(world: World, client: Client) -> None:
    key = world.write(1)
    run = client.trajectory(key.trace_id, project="p")
    assert run.id == key.trace_id
    assert run.extraction.status is Status.SETTLED
    (step,) = run.steps
    assert (step.type, step.name) == (StepType.MODEL, "chat")
    assert step.model_info is not None
    assert step.model_info.input_tokens == 10
    assert client.document(key.trace_id) == world.store.documents.get(key.trace_id, Reach.ALL)


def test_the_newest_run_and_one_step_of_it(world: World, client: Client) -> None:
    with pytest.raises(NotFoundError, match="no trajectories yet"):
        client.latest()
    keys = [world.write(n) for n in (1, 2)]
    newest = client.latest(project="p")
    assert newest.id == keys[1].trace_id
    (step,) = newest.steps
    found = orjson.loads(client.step_document(newest.id, step.id))
    assert (found["id"], found["agent_id"]) == (step.id, newest.agent_steps[0].id)


def test_spans_as_they_were_sent(world: World, client: Client) -> None:
    key = world.write(1)
    sent = wire_span(key.trace_id, 1, name="planner")
    world.store.spans.append([spooled(message_of([sent]), key.project)])
    for body in (client.otlp(key.trace_id), client.sent_span(key.trace_id, sent.span_id.hex())):
        [group] = orjson.loads(body)["resourceSpans"]
        assert group["scopeSpans"][0]["spans"][0]["name"] == "planner"
    with pytest.raises(NotFoundError, match="has no span"):
        client.sent_span(key.trace_id, "f" * 16)


def test_what_became_of_the_spans(world: World, client: Client) -> None:
    key = world.write(1)
    (span,) = client.spans(key.trace_id)
    assert (span.kind, span.rule, span.duration) == (Kind.AGENT, "agent.by-name", 2)
    assert orjson.loads(client.spans_document(key.trace_id))["trace_id"] == key.trace_id


@pytest.mark.parametrize("name", ["trip", "a/b?c=d#e", "..", "ü %2F"])
def test_a_conversation_under_any_name(world: World, client: Client, name: str) -> None:
    for n in range(1, 4):
        world.write(n, conversation=name)
    world.write(9)
    runs = list(client.conversation(name, limit=2))
    assert [int(run.trace_id, 16) for run in runs] == [1, 2]
    assert {run.conversation_id for run in runs} == {name}


def test_conversations_are_typed_and_paged_to_their_end(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "PAGE_ITEMS", 2)
    for n in range(1, 7):
        world.write(n, conversation=f"talk {n % 3}", project="p" if n < 6 else "other")
    talks = list(client.conversations(project="p"))
    assert [talk.conversation_id for talk in talks] == ["talk 2", "talk 1", "talk 0"]
    assert (talks[0].runs, talks[0].input_tokens) == (2, 20)
    assert talks[0].last_run.started_at == 1_700_000_005_000
    assert [talk.runs for talk in client.conversations(limit=1)] == [1]
    assert list(client.conversations(user="nobody")) == []


def test_runs_that_repeat_another_have_to_be_asked_for(world: World, client: Client) -> None:
    key = world.write(1, conversation="talk")
    world.write(2, conversation="talk", repeats=key)
    for given in (client.trajectories, partial(client.conversation, "talk")):
        assert [run.duplicate_of for run in given()] == [None]
        assert [run.duplicate_of for run in given(duplicate=True)] == [key.trace_id]
        assert len(list(given(duplicate=None))) == 2


def test_runs_without_a_step_have_to_be_asked_for() -> None:
    assert trajectories().filters == {"duplicate": "false"}
    assert trajectories(has_steps=None).filters["has_steps"] == "any"
    assert trajectories(has_steps=False).filters["has_steps"] == "false"


def test_a_replay(world: World, client: Client) -> None:
    world.write(1)
    asked = client.request_replay(project="p", since="1970-01-01")
    assert (asked.total, asked.done, asked.is_finished) == (1, 0, False)
    assert client.replay(asked.id) == asked


def test_a_problem_is_an_exception_with_its_detail(world: World, client: Client) -> None:
    with pytest.raises(NotFoundError, match="no trajectory of trace 0000") as missing:
        client.trajectory("0" * 32)
    assert (missing.value.status, missing.value.title) == (404, "Not Found")
    with pytest.raises(NotFoundError):
        list(client.conversation("none"))
    with pytest.raises(InvalidParameterError) as invalid:
        client.document("xyz")
    assert [fault.parameter for fault in invalid.value.faults] == ["trace_id"]
    world.write(1)


def test_a_key_is_sent_and_refusals_are_told_apart(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = (world.locks.make("p", scope) for scope in (Scope.READ, Scope.INGEST))
    world.write(1)
    with world.client(api_key=reading) as client:
        assert len(list(client.trajectories())) == 1
    with world.client() as client, pytest.raises(UnauthenticatedError):
        list(client.trajectories())
    with world.client(api_key=writing) as client, pytest.raises(ForbiddenError):
        list(client.trajectories())
    monkeypatch.setenv("SPANLOOM_API_KEY", reading)
    with world.client() as client:
        assert len(list(client.trajectories())) == 1
    with world.client(api_key="") as client, pytest.raises(UnauthenticatedError):
        list(client.trajectories())


def test_a_service_that_is_busy_says_when_to_come_back() -> None:
    problem = {"title": "Service Unavailable", "detail": "The store does not answer."}
    headers = {"Content-Type": "application/problem+json", "Retry-After": "3"}
    with (
        answering(lambda _: httpx.Response(503, json=problem, headers=headers)) as client,
        pytest.raises(UnavailableError, match="The store does not answer") as busy,
    ):
        client.replay("0" * 16)
    assert busy.value.retry_after_s == 3.0


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="hello"),
        httpx.Response(200, json={"items": 3}),
        httpx.Response(302, headers={"Location": "http://elsewhere/"}),
        httpx.Response(502, text="Bad Gateway"),
        httpx.Response(404, text="x", headers={"Content-Type": "application/problem+json"}),
    ],
)
def test_another_service_is_told_apart(answer: httpx.Response) -> None:
    with answering(lambda _: answer) as client, pytest.raises(NotSpanloomError):
        list(client.trajectories())


def test_an_unknown_status_is_a_problem_too() -> None:
    problem = {"title": "Teapot", "detail": "short and stout"}
    answer = httpx.Response(418, json=problem, headers={"Content-Type": "application/problem+json"})
    with answering(lambda _: answer) as client, pytest.raises(ApiError, match="stout") as found:
        client.document("0" * 32)
    assert type(found.value) is ApiError


@pytest.mark.service
def test_nobody_there_and_nobody_answering() -> None:
    with bind("127.0.0.1", 0, "--api-port") as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        silent.listen()
        with (
            Client(url, timeout_s=0.2) as client,
            pytest.raises(TimedOutError, match=r"within 0\.2 s"),
        ):
            client.document("0" * 32)
    with (
        Client(url, tries=1) as client,
        pytest.raises(UnreachableError, match="nothing answers at"),
    ):
        client.document("0" * 32)


def test_the_address_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPANLOOM_API_URL", raising=False)
    assert Client().url == "http://127.0.0.1:8080"
    monkeypatch.setenv("SPANLOOM_API_URL", "traces.internal:9000/")
    assert Client().url == "http://traces.internal:9000"
    assert Client("https://x/y/").url == "https://x/y"
    with pytest.raises(ValueError, match="is no address"):
        Client("ftp://x")


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_certificates_are_read_only_where_one_comes(
    monkeypatch: pytest.MonkeyPatch, kind: type[Client | AsyncClient]
) -> None:
    def read(*_: object, **__: object) -> NoReturn:
        raise PermissionError("certificates are read")

    monkeypatch.setattr(ssl, "create_default_context", read)
    kind("http://x")
    for url in ("https://x", "HTTPS://x"):
        with pytest.raises(PermissionError):
            kind(url)


def test_what_a_newer_service_adds_is_kept(world: World, client: Client) -> None:
    key = world.write(1)
    said: dict[str, Any] = orjson.loads(client.document(key.trace_id))
    said["later"] = {"a": 1}
    run = models.Trajectory.model_validate(said)
    assert run.model_extra == {"later": {"a": 1}}
    assert orjson.loads(run.model_dump_json(exclude_unset=True)) == said


@pytest.mark.parametrize(
    ("schema", "model"),
    [
        ("TrajectoryList", models.Page),
        ("ConversationList", models.Page),
    ],
)
def test_every_field_that_the_api_describes_is_typed(
    world: World, schema: str, model: type[BaseModel]
) -> None:
    with world.client() as client:
        described = orjson.loads(client.ask(Call(get("/openapi.json"), body_of)))
    properties = described["components"]["schemas"][schema]["properties"]
    assert set(model.model_fields) == set(properties)


@pytest.mark.service
def test_it_loads_no_server_and_the_package_not_even_the_client() -> None:
    program = """
import sys, spanloom
print("spanloom.client" in sys.modules)
from spanloom import Client
Client("http://localhost")
from spanloom import AsyncClient
heavy = {"chdb", "fastapi", "grpc", "uvicorn", "structlog", "google.protobuf"}
heavy |= {"numpy", "pandas", "polars", "pyarrow"}
heavy |= {"rich", "click", "pygments"}  # which httpx loads for a program of its own
print(sorted(heavy & set(sys.modules)))
print(sorted({m.split(".")[1] for m in sys.modules if m.startswith("spanloom.")}))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["False", "[]", "['client', 'core', 'evaluation']"]


def test_a_service_tells_its_projects(world: World, client: Client) -> None:
    make_twins(world.store, "mine", "theirs", "ab" * 16)
    assert [one.project for one in client.projects().items] == ["mine", "theirs"]
    [mine] = client.projects(project="mine").items
    assert (mine.project, mine.limits, mine.retention) == ("mine", None, None)
    assert mine.runs == len(list(client.trajectories(project="mine"))) > 0


def test_a_service_tells_what_it_found_of_itself(client: Client) -> None:
    diagnosis = client.diagnosis()
    assert (diagnosis.pid, diagnosis.findings) == (os.getpid(), [])


def test_documents_come_one_after_the_other(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "PAGE_ITEMS", 2)
    keys = [world.write(n) for n in range(1, 6)]
    found = [document.id for document in client.documents()]
    assert found == [key.trace_id for key in reversed(keys)]
    assert [document.id for document in client.documents(limit=2, project="p")] == found[:2]


def test_a_run_that_is_deleted_meanwhile_is_left_out() -> None:
    runs = [{**RUN, "trace_id": f"{n:032x}"} for n in range(2)]
    missing = {"title": "Not Found", "detail": "There is none.", "status": 404}
    answers = [
        httpx.Response(200, json={"items": runs, "next_cursor": None}),
        httpx.Response(404, json=missing, headers={"Content-Type": "application/problem+json"}),
        httpx.Response(200, json=canonical_example()),
    ]
    with answering(lambda _: answers.pop(0)) as client:
        assert [document.id for document in client.documents()] == [canonical_example()["id"]]


def test_what_differs_is_typed(world: World, client: Client) -> None:
    a, b = world.write(1), world.write(2)
    diff = client.diff(a.trace_id, b.trace_id)
    assert (diff.a.trace_id, diff.b.trace_id) == (a.trace_id, b.trace_id)
    assert diff.same
    assert diff.summary.metrics["input_tokens"] == [10, 10]


def test_a_query_and_an_order_go_to_the_service_as_they_are() -> None:
    asked: list[httpx.URL] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return httpx.Response(200, json={"items": [], "next_cursor": None})

    query = 'has(tool = "退款" then error) & x'
    with answering(handle) as client:
        list(client.trajectories(query, order="-duration", words='refund "rate limit"'))
        list(client.documents(query))
    assert [url.params["where"] for url in asked] == [query, query]
    assert [url.params.get("order") for url in asked] == ["-duration", None]
    assert [url.params.get("q") for url in asked] == ['refund "rate limit"', None]


def test_a_body_goes_into_a_file_and_a_second_try_writes_it_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing from a connection that breaks in the middle remains in the file."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    document = world.write(1).trace_id.encode()

    def broken() -> Iterator[bytes]:
        yield b"half of what is longer than " * 9
        raise httpx.ReadError("broken")

    answers = [broken(), iter([document])]
    json = {"Content-Type": "application/json"}

    def handle(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=answers.pop(0), headers=json)

    into = io.BytesIO(b"before")
    into.seek(6)
    with Client("http://localhost", transport=httpx.MockTransport(handle)) as client:
        client.copy(calls.document("0" * 32), into)
    assert into.getvalue() == b"before" + document


@pytest.mark.service
def test_it_is_there_in_a_third_of_a_second() -> None:
    """Few modules are imported; their number does not depend on how busy the machine is."""
    program = "import sys; from spanloom import AsyncClient; print(len(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(ran.stdout) < 600
