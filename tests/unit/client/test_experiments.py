"""Experiments through the client, ``spanloom experiments`` and ``spanloom eval compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.client import ConflictError, NotFoundError
from spanloom.client.calls import experiments as calls
from spanloom.client.transfer.experiments import list_results, report_of
from spanloom.experiments.runner import ExperimentRunner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]

LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_model_calls": 1}}
SCORE = "limits/max_model_calls"


def finish(world: World) -> None:
    runner = ExperimentRunner(world.store)
    while runner.run_once():
        pass


@pytest.fixture
def judged(world: World, client: Client) -> None:
    """Run the experiments ``a`` (three runs) and ``b`` (two of them) in the project ``p``."""
    for number in range(3):
        world.write(number + 1)
    client.put_evaluator("limits", LIMITS, project="p", annotator="ada")
    client.start_experiment("a", runs={}, evaluators=[LIMITS], project="p", annotator="ada")
    client.start_experiment("b", runs={"limit": 2}, evaluators=["limits"], project="p")
    finish(world)


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)

    def command(*words: str, exit_code: int = 0) -> str:
        said = run_command(words).partition("\n")[2]
        assert exit_code == 0 or f"--- exit status {exit_code}" in said, said
        return said

    return command


@pytest.mark.usefixtures("judged")
def test_an_experiment_is_started_read_compared_and_cancelled(client: Client) -> None:
    kept = client.experiment("a", project="p")
    assert (kept.status, kept.total, kept.done, kept.started_by) == ("done", 3, 3, "ada")
    assert kept.summary is not None
    assert kept.summary[SCORE].pass_rate == 1.0
    assert [one.name for one in client.experiments(project="p")] == ["a", "b"]
    assert client.cancel_experiment("a", project="p").status == "done"
    compared = client.compare_experiments("a", "b", project="p")
    assert (compared["common"], len(compared["only_a"])) == (2, 1)
    table = client.experiment_table("a", "text/csv", score=SCORE, project="p")
    assert len(table.splitlines()) == 4
    with pytest.raises(ConflictError):
        client.start_experiment("a", runs={}, evaluators=[LIMITS], repeats=2, project="p")
    with pytest.raises(NotFoundError):
        client.experiment("a")
    assert client.evaluator("limits", project="p").config == LIMITS
    assert [one.name for one in client.evaluators(project="p")] == ["limits"]


@pytest.mark.usefixtures("judged")
def test_results_are_read_in_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(list_results(client, "a", project="p"))
    monkeypatch.setattr(calls, "MOST", 2)
    assert calls.experiment_page("a").request.params["limit"] == "2"
    assert list(list_results(client, "a", project="p")) == whole
    assert len(report_of(client, "a", project="p").results) == len(whole) == 3


def test_both_clients_have_the_same_methods(world: World) -> None:
    async def ask() -> None:
        async with world.async_client() as client:
            assert list(await client.experiments()) == []

    world.run(ask())


@pytest.mark.usefixtures("judged")
def test_the_command_lists_shows_and_compares(run: Run) -> None:
    here = ("--project", "p")
    listed = run("experiments", "list", *here, "--output", "jsonl")
    rows = [orjson.loads(line) for line in listed.splitlines()]
    assert [row["name"] for row in rows] == ["a", "b"]
    shown = run("experiments", "show", "b", *here, "--output", "table")
    assert "limits@1 (rules)" in shown
    assert SCORE in shown
    assert "2/2" in run("experiments", "list", *here, "--output", "table")
    results = run("experiments", "results", "a", *here, "--score", SCORE, "--output", "table")
    assert results.count("passed") == 3
    compared = orjson.loads(run("experiments", "compare", "a", "b", *here))
    assert compared == orjson.loads(run("eval", "compare", "a", "b", *here))
    assert orjson.loads(run("experiments", "cancel", "a", *here))["status"] == "done"


@pytest.mark.usefixtures("judged")
def test_a_report_is_compared_with_an_experiment(run: Run, client: Client, tmp_path: Path) -> None:
    report = tmp_path / "a.report"
    rows = [*list_results(client, "a", project="p")]
    report.write_bytes(orjson.dumps({"format": "spanloom.eval/1", "results": rows}))
    compared = orjson.loads(run("eval", "compare", str(report), "b", "--project", "p"))
    assert compared["common"] == 2
    run("eval", "compare", str(report), "none", exit_code=2)


def test_the_command_starts_one_of_a_file(
    run: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(1)
    file = tmp_path / "eval.yaml"
    asked: dict[str, Any] = {
        "name": "x",
        "runs": {"project": "p"},
        "evaluators": [LIMITS],
        "gates": [{"score": SCORE, "min": 1}],
    }
    file.write_bytes(orjson.dumps(asked))
    told = orjson.loads(run("experiments", "start", "x", str(file), "--repeats", "2"))
    assert (told["project"], told["status"], told["total"]) == ("p", "running", 2)
    monkeypatch.setattr("spanloom.cli.experiments.time.sleep", lambda _: finish(world))
    told = orjson.loads(run("experiments", "start", "x", str(file), "--repeats", "2", "--wait"))
    assert (told["status"], told["done"]) == ("done", 2)
    run("experiments", "start", "y", exit_code=2)
    file.write_text("evaluators: [")
    run("experiments", "start", "y", str(file), exit_code=2)
    run("experiments", "start", "y", "--dataset", "none", "--evaluator", "none", exit_code=2)


def test_a_gate_compares_with_an_experiment(
    run: Run, world: World, tmp_path: Path, client: Client
) -> None:
    world.write(1)
    client.start_experiment("base", runs={}, evaluators=[LIMITS], project="p")
    finish(world)
    file = tmp_path / "eval.yaml"
    gate = {"score": SCORE, "no_worse_than": "base"}
    asked = {"runs": {"project": "p"}, "evaluators": [LIMITS], "gates": [gate]}
    file.write_bytes(orjson.dumps(asked))
    told = orjson.loads(
        run("eval", "run", str(file), "--gate", "--output", "json").partition("---")[0]
    )
    assert told["gates"][0]["verdict"] == "passed"
    file.write_bytes(orjson.dumps({**asked, "gates": [{**gate, "no_worse_than": "none"}]}))
    run("eval", "run", str(file), "--gate", exit_code=2)
