"""The Python client, and its documented example, against the started command."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support import programs
from tests.support.agents import REPOSITORY
from tests.support.ground_truth import Capture

from spanloom import Client
from spanloom.client import NotFoundError
from spanloom.core.formats.imported import find_loss
from spanloom.core.showing.steps import place_steps

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

WAIT_S = 30.0


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom(env={"SPANLOOM_ROOT_QUIET_S": "0.3"})
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def trace_id(spanloom: RunningSpanloom) -> str:
    """Send a captured run, wait for its trajectory, and return its trace id."""
    capture = Capture("openinference-langchain", "react_tools")
    for body in capture.requests():
        send(spanloom, body)
    (sent,) = capture.spans_by_trace
    with Client(spanloom.api) as client:
        await_trajectory(client, sent)
        until = time.monotonic() + WAIT_S  # it is listed a moment after its document is stored
        while not list(client.trajectories(since="9999d")):
            assert time.monotonic() < until, "the run is not listed"
            time.sleep(0.1)
    return sent


def send(spanloom: RunningSpanloom, body: bytes) -> None:
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    headers = {"Content-Type": "application/x-protobuf"}
    httpx.post(url, content=body, headers=headers).raise_for_status()


def await_trajectory(client: Client, trace_id: str, project: str | None = None) -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        try:
            if client.trajectory(trace_id, project=project).extraction.status != "live":
                return
        except NotFoundError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"no trajectory within {WAIT_S:g} s")


def test_the_client_reads_what_was_sent(spanloom: RunningSpanloom, trace_id: str) -> None:
    with Client(spanloom.api) as client:
        (run,) = client.trajectories(since="9999d")
        document, spans = client.trajectory(trace_id), client.spans(trace_id)
    assert run.trace_id == document.id == trace_id
    assert run.span_count == len(spans)
    steps = {step.id for step in document.steps} | {agent.id for agent in document.agent_steps}
    assert {span.step_id for span in spans if span.step_id} <= steps
    assert run.step_counts["model"] == sum(step.type == "model" for step in document.steps)


def test_every_span_is_given_back_as_it_was_sent(spanloom: RunningSpanloom, trace_id: str) -> None:
    bodies = list(Capture("openinference-langchain", "react_tools").requests())
    sent = {
        span.span_id: span
        for body in bodies
        for group in TracesData.FromString(body).resource_spans
        for scope in group.scope_spans
        for span in scope.spans
    }
    answer = httpx.get(
        f"{spanloom.api}/v1/trajectories/{trace_id}/otlp",
        headers={"Accept": "application/x-protobuf"},
    )
    groups = TracesData.FromString(answer.raise_for_status().content).resource_spans
    got = {s.span_id: s for g in groups for scope in g.scope_spans for s in scope.spans}
    assert got.keys() == sent.keys()
    for span_id, span in sent.items():
        assert got[span_id].name == span.name
        assert sorted(map(str, got[span_id].attributes)) == sorted(map(str, span.attributes))
    with Client(spanloom.api) as client:
        everything = orjson.loads(client.otlp(trace_id))["resourceSpans"]
        one = next(iter(sent)).hex()
        [alone] = orjson.loads(client.sent_span(trace_id, one))["resourceSpans"]
    told = [s for g in everything for scope in g["scopeSpans"] for s in scope["spans"]]
    assert {span["spanId"] for span in told} == {span_id.hex() for span_id in sent}
    assert [s["spanId"] for scope in alone["scopeSpans"] for s in scope["spans"]] == [one]


def test_what_a_client_gets_of_otlp_can_be_sent_again(
    spanloom: RunningSpanloom, trace_id: str
) -> None:
    with Client(spanloom.api) as client:
        body = client.otlp(trace_id)
    answer = httpx.post(
        f"{spanloom.addresses['otlp_http']}/v1/traces",
        content=body,
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 200
    assert answer.json() == {}


def test_one_step_and_the_newest_run(spanloom: RunningSpanloom, trace_id: str) -> None:
    with Client(spanloom.api) as client:
        document = client.trajectory(trace_id)
        assert client.latest().id == trace_id
        for step in document.steps:
            found = orjson.loads(client.step_document(trace_id, step.id))
            assert (found["id"], found["name"], found["input"]) == (step.id, step.name, step.input)
        model = next(step for step in document.steps if step.type == "model")
        parsed = orjson.loads(client.step_document(trace_id, model.id, parsed=True))
        assert parsed["input"] == orjson.loads(model.input)
        with pytest.raises(NotFoundError, match="has no step"):
            client.step_document(trace_id, "f" * 16)


def test_the_documented_example_runs(spanloom: RunningSpanloom, trace_id: str) -> None:
    page = (REPOSITORY / "docs" / "client.md").read_text()
    example = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    example = example.replace('since="7d"', 'since="9999d"')  # the capture's run is older
    ran = programs.run("-c", example, env={"SPANLOOM_API_URL": spanloom.api})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(trace_id)
    assert "There is no trajectory of trace 0000" in ran.stdout


def test_what_differs_between_two_runs(spanloom: RunningSpanloom, trace_id: str) -> None:
    other = Capture("openinference-langchain", "parallel_tools")
    for body in other.requests():
        send(spanloom, body)
    (other_id,) = other.spans_by_trace
    with Client(spanloom.api) as client:
        await_trajectory(client, other_id)
        assert orjson.loads(client.diff_document(trace_id, trace_id))["same"] is True
        diff = orjson.loads(client.diff_document(trace_id, other_id))
    assert (diff["a"]["trace_id"], diff["b"]["trace_id"]) == (trace_id, other_id)
    for arguments, status in (
        ((trace_id, trace_id), 0),
        ((trace_id, other_id, "--summary"), 1),
        ((trace_id, "f" * 32), 2),
    ):
        ran = programs.run("-m", "spanloom", "diff", *arguments, "--api-url", spanloom.api)
        assert (ran.returncode, "Traceback" in ran.stderr) == (status, False)


def test_what_is_exported_is_imported_as_the_same_run(
    spanloom: RunningSpanloom, trace_id: str, tmp_path: Path
) -> None:
    """Exported spans are imported into another project; the document differs in that alone."""
    file, lines = tmp_path / "spans", tmp_path / "runs"
    for arguments in (("--format", "otlp", "-o", str(file)), ("-o", str(lines))):
        ran = programs.run("-m", "spanloom", "export", *arguments, "--api-url", spanloom.api)
        assert (ran.returncode, orjson.loads(ran.stdout)["skipped"]) == (0, []), ran.stderr
    sent = ("import", str(file), "--project", "copies")
    ran = programs.run("-m", "spanloom", *sent, "--otlp-url", spanloom.addresses["otlp_http"])
    assert (ran.returncode, orjson.loads(ran.stdout)["rejected"]) == (0, []), ran.stderr
    documents = {one["id"]: one for one in map(orjson.loads, lines.read_bytes().splitlines())}
    assert trace_id in documents
    with Client(spanloom.api) as client:
        for sent_id, document in documents.items():
            await_trajectory(client, sent_id, "copies")
            copy = orjson.loads(client.document(sent_id, project="copies"))
            copy["extraction"]["project"] = document["extraction"]["project"]
            assert without_version(copy) == without_version(document)


@pytest.mark.nightly
@pytest.mark.parametrize("form", ["jsonl", "parquet", "arrow"])
def test_documents_are_imported_as_the_same_runs(
    spanloom: RunningSpanloom, trace_id: str, tmp_path: Path, form: str
) -> None:
    """Runs are imported into another project and exported from it; a second import adds nothing."""
    file, again = tmp_path / "runs", tmp_path / "again"
    run_command("export", "--format", form, "-o", str(file), "--project", "default", at=spanloom)
    told = run_command("import", str(file), "--project", form, at=spanloom)
    assert (told["rejected"], told["unchanged_runs"]) == ([], 0)
    with Client(spanloom.api) as client:
        await_trajectory(client, trace_id, form)
        first = orjson.loads(client.document(trace_id, project="default"))
        assert find_loss(first, orjson.loads(client.document(trace_id, project=form))) is None
        for run in client.trajectories(project="default"):
            await_trajectory(client, run.trace_id, form)
    told = run_command("import", str(file), "--project", form, at=spanloom)
    assert (told["accepted_spans"], told["unchanged_runs"] > 0) == (0, True)
    told = run_command("import", str(file), at=spanloom)
    assert (told["accepted_spans"], told["rejected"]) == (0, [])
    run_command("export", "-o", str(again), "--project", form, at=spanloom)
    assert trace_id in again.read_text()


def run_command(*arguments: str, at: RunningSpanloom) -> dict[str, Any]:
    env = {"SPANLOOM_API_URL": at.api, "SPANLOOM_OTLP_URL": at.addresses["otlp_http"]}
    ran = programs.run("-m", "spanloom", *arguments, env=env)
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = orjson.loads(ran.stdout)
    return told


def without_version(document: dict[str, Any]) -> dict[str, Any]:
    own = {name: v for name, v in document["extraction"].items() if name != "version"}
    return {**document, "extraction": own}


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("list", "--project", "nobody"), 0),
        (("list", "--project", "nobody", "--fail-empty"), 1),
        (("list", "--json", "--project", "nobody", "--fail-empty"), 1),
        (("list", "--fail-empty", "--since", "2000-01-01"), 0),
        (("list", "--order", "x" * 9, "--json"), 2),
        (("list", "--fields", "trace_id,cots"), 2),
        (("show", "f" * 32), 1),
        (("diff", "latest", "latest", "--api-url", "http://127.0.0.1:9"), 3),
    ],
)
def test_exit_statuses_tell_what_happened(
    spanloom: RunningSpanloom, trace_id: str, arguments: tuple[str, ...], status: int
) -> None:
    assert trace_id
    env = {"SPANLOOM_API_URL": spanloom.api}
    ran = programs.run("-m", "spanloom", *arguments, env=env)
    assert (ran.returncode, "Traceback" in ran.stderr) == (status, False), ran.stderr


def test_a_step_has_the_same_number_wherever_it_is_told(
    spanloom: RunningSpanloom, trace_id: str
) -> None:
    """A step's position in lists is its number in `spanloom show`; the root has number 0."""
    with Client(spanloom.api) as client:
        rows = list(client.steps(run_where=f'trace_id = "{trace_id}"', project="default"))
        placed = place_steps(orjson.loads(client.document(trace_id, project="default")))
    assert len(rows) > 3
    assert {row.step_id: row.position for row in rows if row.position} == {
        own.step.id: own.place for own in placed
    }


def test_a_list_has_the_columns_that_are_asked_for(
    spanloom: RunningSpanloom, trace_id: str
) -> None:
    env = {"SPANLOOM_API_URL": spanloom.api}
    one = f'--where=trace_id = "{trace_id}"'
    asked = ("-m", "spanloom", "list", "--project=default", one, "--fields", "trace_id, has_error")
    lines = programs.run(*asked, env=env)
    assert orjson.loads(lines.stdout) == {"trace_id": trace_id, "has_error": False}
    table = programs.run(*asked, "--output=table", env=env)
    assert [line.split() for line in table.stdout.splitlines()] == [
        ["trace_id", "has_error"],
        [trace_id, "false"],
    ]
    nobody = ("-m", "spanloom", "list", "--project=nobody", "--fail-empty")
    table = programs.run(*nobody, "--output=table", env=env)
    assert (table.returncode, table.stdout[:16]) == (1, "No trajectories.")
    lines = programs.run(*nobody, env=env)
    assert (lines.returncode, lines.stdout) == (1, "")
