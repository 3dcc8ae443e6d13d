"""Targets that answer dataset items: commands, URLs and functions.

The client chooses the trace ids of the runs, and finds the runs by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from opentelemetry import trace
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.client.evaluating import targets
from spanloom.client.evaluating.targets import Place, command_target, http_target
from spanloom.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_model_calls": 1}}


@pytest.mark.parametrize("command", ["", "'"])
def test_what_is_no_command_is_refused(command: str) -> None:
    with pytest.raises(InvalidRequestError):
        command_target(command)


@pytest.mark.parametrize("url", ["", "agent", "ftp://agent/x", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequestError):
        http_target(url)


def test_an_endpoint_gets_the_input_and_where_its_spans_belong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if request.url.path == "/slow":
            raise httpx.ReadTimeout("late")
        if request.url.path == "/gone":
            raise httpx.ConnectError("nobody")
        return httpx.Response(int(request.url.path[1:]), headers={"location": "http://other/"})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    monkeypatch.setattr(httpx, "stream", http.stream)
    place = Place("a" * 32, "b" * 16)

    def said(path: str) -> str:
        return http_target(f"https://agent.example{path}", 9)({"q": "Oslo?"}, place)

    assert said("/200") == ""
    assert asked[0].content == b'{"q":"Oslo?"}'
    assert asked[0].headers["traceparent"] == f"00-{'a' * 32}-{'b' * 16}-01"
    assert said("/302") == "the endpoint answered 302"
    assert said("/500") == "the endpoint answered 500"
    assert said("/slow") == "the endpoint took longer than 9 s"
    assert said("/gone") == "the endpoint cannot be called: ConnectError"


@pytest.fixture
def items(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a dataset with two items, and let the client look for runs every 10 ms."""
    client.put_dataset("trips", evaluators=[LIMITS], project="p")
    client.add_dataset_items(
        "trips", [{"item_key": key, "input": key} for key in ("a", "b")], project="p"
    )
    client.commit_dataset("trips", project="p")
    monkeypatch.setattr(targets, "_LOOK_S", 0.01)


@pytest.mark.usefixtures("items")
def test_a_function_answers_and_its_runs_are_judged(client: Client, world: World) -> None:
    asked: list[Any] = []

    def agent(given: Any) -> None:
        asked.append(given)
        if given == "a":
            world.write(trace.get_current_span().get_span_context().trace_id)
        else:
            raise KeyError("oh")

    kept = client.run_experiment("x", "trips", target=agent, repeats=2, timeout_s=0.1, project="p")
    assert asked == ["a", "a", "b", "b"]
    assert (kept.status, kept.total, kept.done, kept.errors) == ("done", 4, 4, 2)
    rows = client.experiment_page("x", project="p")["items"]
    found = [(row["item"], row["repeat"], row["passed"], row["rationale"][:8]) for row in rows]
    assert [one[:3] for one in found] == [
        ("a", 0, True),
        ("a", 1, True),
        ("b", 0, None),
        ("b", 1, None),
    ]
    assert [one[3] for one in found[2:]] == ["KeyError"] * 2


@pytest.mark.usefixtures("items")
def test_a_command_answers_in_eval_run(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)
    ids = iter([f"{number:032x}" for number in (1, 2)])
    made = {16: lambda: next(ids), 8: lambda: "b" * 16}
    monkeypatch.setattr("secrets.token_hex", lambda size: made[size]())
    for number in (1, 2):
        world.write(number)
    file = tmp_path / "eval.yaml"
    file.write_bytes(orjson.dumps({"runs": {"project": "p"}, "evaluators": [LIMITS]}))
    monkeypatch.setattr("spanloom.cli.eval_run.command_target", lambda *_: lambda *_: "")
    command = ("--target-command", "agent")
    words = ["eval", "run", "eval.yaml", "--dataset", "trips", "--output", "json", *command]
    told = orjson.loads(run_command(words).partition("\n")[2].partition("--- ")[0])
    assert [(row["item"], row["trace_id"]) for row in told["results"]] == [
        ("a", f"{1:032x}"),
        ("b", f"{2:032x}"),
    ]
    both = [*command, "--target-url", "http://agent.example/"]
    for wrong in (
        both,
        ["--target-url", "agent"],
        ["--repeats", "2"],
        [*command],
        [*command, "--runs", "x", "--dataset", "trips"],
    ):
        assert "--- exit status 2" in run_command(["eval", "run", "eval.yaml", *wrong])
