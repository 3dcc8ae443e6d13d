"""``spanloom eval rescore``: what is judged again, what stays, and what cannot be judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.annotated_runs import store_run, tool_step
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.cli import eval_judging
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., dict[str, Any]]

KEYS = [TraceKey("default", f"{number:032x}") for number in (1, 2)]
LIMITS = {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 2}}
STUB = {"name": "base", "kind": "where", "expr": "steps > 0"}
SAID = {"name": "said", "kind": "where"}


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs ``eval`` against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.setattr(eval_judging, "AsyncClient", lambda *_, **__: world.async_client())
    monkeypatch.chdir(tmp_path)
    for key in KEYS:
        change(world, key, 1, "a", "b")
    write(tmp_path, LIMITS)

    def command(*words: str) -> dict[str, Any]:
        said = run_command(["eval", *words]).partition("\n")[2]
        told: dict[str, Any] = orjson.loads(said.partition("\n--- ")[0].partition("\n")[0])
        return {name: value for name, value in told.items() if value}

    return command


def write(folder: Path, *evaluators: dict[str, Any]) -> None:
    value = {"name": "trips", "runs": {"project": "default"}, "evaluators": evaluators}
    (folder / "eval.json").write_text(json.dumps(value))


def change(world: World, key: TraceKey, version: int, *said: str) -> None:
    steps = [tool_step(number, text) for number, text in enumerate(said, 2)]
    store_run(world.store, key, steps, version)


def listed(client: Client) -> dict[str, tuple[object, int, bool | None]]:
    """Return value, judged version and staleness of each score, keyed by run and name."""
    return {
        f"{one.trace_id[-1]} {one.name}": (one.value, one.judged_version, one.stale)
        for one in client.scores()
    }


def test_what_holds_is_not_judged_again_and_what_is_stale_is(
    run: Run, world: World, client: Client
) -> None:
    run("run", "eval.json", "--send", "--output", "jsonl")
    before = listed(client)
    assert before == {
        "1 limits/max_tool_calls": (True, 1, False),
        "2 limits/max_tool_calls": (True, 1, False),
    }
    assert run("rescore", "eval.json") == {"fresh": 2}
    change(world, KEYS[0], 2, "other", "words")
    assert run("rescore", "eval.json") == {"fresh": 2}
    change(world, KEYS[0], 3, "one", "two", "three")
    assert run("rescore", "eval.json", "--dry-run") == {
        "dry_run": True,
        "runs": 1,
        "fresh": 1,
        "stale": 1,
    }
    assert listed(client)["1 limits/max_tool_calls"] == (True, 1, True)
    assert run("rescore", "eval.json") == {"runs": 1, "fresh": 1, "stale": 1, "stored": 1}
    assert listed(client) == {**before, "1 limits/max_tool_calls": (False, 3, False)}
    assert run("rescore", "eval.json") == {"fresh": 2}
    (experiment,) = {one.experiment for one in client.scores()}
    assert experiment == "trips"


def test_another_configuration_is_judged_again(run: Run, client: Client, tmp_path: Path) -> None:
    run("run", "eval.json", "--send", "--output", "jsonl")
    write(tmp_path, {**LIMITS, "rules": {"max_tool_calls": 1}})
    found = run("rescore", "eval.json", "limits")
    assert found == {"runs": 2, "other_version": 2, "stored": 2}
    assert {value for value, _, _ in listed(client).values()} == {False}
    assert run("rescore", "eval.json", "--experiment", "another") == {}


def test_scores_of_items_need_what_is_expected(run: Run, client: Client, tmp_path: Path) -> None:
    source = {"trace_id": KEYS[0].trace_id, "project": "default"}
    calls = [{"name": "search", "arguments": {}}] * 2
    item = {"item_key": "one", "expected": {"tool_calls": calls}, "source": source}
    (tmp_path / "items.jsonl").write_text(json.dumps(item))
    path = {"name": "path", "kind": "match", "mode": "in_order"}
    write(tmp_path, {**path, "args": "ignore"})
    items = ("--items", "items.jsonl")
    run("run", "eval.json", *items, "--send", "--output", "jsonl")
    assert listed(client)["1 path"][0] is True
    write(tmp_path, {**path, "args": "exact"})
    assert run("rescore", "eval.json") == {
        "runs": 1,
        "other_version": 1,
        "no_item": 1,
        "stored": 1,
    }
    assert listed(client)["1 path"][0] is True
    assert run("rescore", "eval.json", *items)["stored"] == 1
    assert listed(client)["1 path"][0] is False


def test_a_run_that_has_gone_is_counted_and_errors_are_made_again_if_asked(
    run: Run, world: World, client: Client, tmp_path: Path
) -> None:
    run("run", "eval.json", "--send", "--output", "jsonl")
    (row, _) = client.scores().rows()
    said = {name: row[name] for name in ("trace_id", "name", "source", "author", "experiment")}
    failed = {**said, "item": row["item"], "status": "error", "error_code": "crashed"}
    made = {name: row[name] for name in ("evaluator_version", "config_hash", "judged_version")}
    client.write_scores([{**failed, **made}])
    assert run("rescore", "eval.json") == {"fresh": 2}
    assert run("rescore", "eval.json", "--errors")["stored"] == 1
    write(tmp_path, {**LIMITS, "rules": {"max_tool_calls": 1}})
    del world.store.state.records[KEYS[1]]
    assert run("rescore", "eval.json") == {"runs": 1, "other_version": 1, "gone": 1, "stored": 1}


def test_conditions_read_the_other_scores_of_the_run(
    run: Run, client: Client, tmp_path: Path
) -> None:
    write(tmp_path, STUB, {**SAID, "expr": "score.base = 1"})
    run("run", "eval.json", "--send", "--output", "jsonl")
    write(tmp_path, STUB, {**SAID, "expr": "not score.base = 1"})
    assert run("rescore", "eval.json", "said")["stored"] == 2
    assert listed(client)["1 said"][0] is False


@pytest.mark.usefixtures("run")
def test_a_name_that_the_file_has_not_is_said() -> None:
    said = run_command(["eval", "rescore", "eval.json", "other"])
    assert "other: no evaluator of the file; it has limits" in said
    assert "exit status 2" in said
