"""Datasets through the client, ``spanloom datasets``, and ``spanloom eval run --dataset``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.client import ConflictError, NotFoundError
from spanloom.client.transfer import datasets as transfer
from spanloom.client.transfer.datasets import PlacedItem, item_of_run, list_items, send_items

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]


def item(key: str) -> dict[str, Any]:
    return {"item_key": key, "input": key, "expected": {"response": key}}


def test_a_dataset_is_made_filled_frozen_and_read(client: Client) -> None:
    evaluators = [{"name": "path", "kind": "match"}]
    made = client.put_dataset("tríps 1", evaluators=evaluators, project="shop", annotator="Zoë")
    assert (made.name, made.evaluators, made.put_by) == ("tríps 1", evaluators, "Zoë")
    told = client.add_dataset_items("tríps 1", [item("a/b"), item("..")], project="shop")
    assert (told["stored"], told["rejected"]) == (2, 0)
    version = client.commit_dataset("tríps 1", project="shop", annotator="bo")
    assert (version.version, version.items, version.made_by) == (1, 2, "bo")
    for key in ("a/b", ".."):
        client.remove_dataset_item("tríps 1", key, project="shop")
    assert client.dataset("tríps 1", project="shop").draft_items == 0
    rows = client.dataset_page("tríps 1", version=1, project="shop")["items"]
    assert [row["item_key"] for row in rows] == ["..", "a/b"]
    table = client.dataset_table("tríps 1", "text/csv", version=1, project="shop")
    assert table.startswith(b"item_key,set,")
    assert [one.name for one in client.datasets(project="shop")] == ["tríps 1"]
    with pytest.raises(NotFoundError):
        client.dataset("tríps 1")
    client.delete_dataset("tríps 1", project="shop", annotator="bo")
    assert client.datasets(project="shop") == []
    with pytest.raises(ConflictError, match="being removed"):
        client.put_dataset("tríps 1", project="shop")


def test_many_items_go_in_several_requests(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.put_dataset("trips")
    monkeypatch.setattr(transfer, "AT_ONCE", 2)
    rows = [PlacedItem(f"line {n}", item(f"{n}")) for n in range(5)]
    rows += [PlacedItem("line 5", {}), PlacedItem("line 6", None, "it is no JSON")]
    done = send_items(client, "trips", rows, None)
    assert (done.stored, done.rejected) == (5, 2)
    assert [one["place"] for one in done.refused] == ["line 6", "line 5"]
    assert [row["item_key"] for row in list_items(client, "trips")] == [*"01234"]


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> str:
        return run_command(words).partition("\n")[2]

    return command


def test_rows_go_in_and_out_by_the_shell(run: Run, tmp_path: Path) -> None:
    rows = [{**item(key), "set": "other"} for key in "ba"]
    (tmp_path / "in.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    told = orjson.loads(run("datasets", "import", "trips", "in.jsonl"))
    assert (told["stored"], told["unchanged"], told["rejected"]) == (2, 0, 0)
    assert run("datasets", "commit", "trips") == "trips@1\n"
    run("datasets", "export", "trips@1", "-o", "out.jsonl")
    told = orjson.loads(run("datasets", "import", "trips", "out.jsonl"))
    assert (told["stored"], told["unchanged"]) == (0, 2)
    assert run("datasets", "commit", "trips") == "trips@1\n"
    assert run("datasets", "export", "trips", "--format", "csv").splitlines()[1].startswith("a,")
    assert orjson.loads(run("datasets", "show", "trips", "--output", "json"))["draft_items"] == 2
    assert "@1  2 items" in run("datasets", "show", "trips", "--output", "table")
    assert "trips" in run("datasets", "list", "--output", "table")
    (tmp_path / "bad.jsonl").write_text('{"item_key": "c"}\n{"item_key": 1}\nno\n')
    said = run("datasets", "import", "trips", "bad.jsonl")
    assert "line 2: item_key: Input should be a valid string" in said
    assert "exit status 1" in said
    assert "write NAME or NAME@VERSION" in run("datasets", "export", "trips@x")


def test_stored_runs_become_items_that_are_judged(run: Run, world: World, tmp_path: Path) -> None:
    key = world.write(1, project="default")
    told = orjson.loads(run("datasets", "add", "trips", key.trace_id))
    assert told["stored"] == 1
    assert orjson.loads(run("datasets", "add", "trips", key.trace_id))["unchanged"] == 1
    (row,) = map(orjson.loads, run("datasets", "export", "trips").splitlines())
    assert row["expected"]["trajectory"]["id"] == row["source"]["trace_id"] == key.trace_id
    assert item_of_run(row["expected"]["trajectory"], is_input=True)["expected"] == {}
    (tmp_path / "eval.yaml").write_text("evaluators: [{name: path, kind: match}]\n")
    (tmp_path / "runs.jsonl").write_bytes(orjson.dumps(row["expected"]["trajectory"]))
    asked = ("eval", "run", "eval.yaml", "--runs", "runs.jsonl", "--output", "json")
    assert "it has no version" in run(*asked, "--dataset", "trips")
    run("datasets", "commit", "trips")
    for name in ("trips", "trips@1"):
        report = orjson.loads(run(*asked, "--dataset", name).partition("--- ")[0])
        (result,) = report["results"]
        assert (result["item"], result["status"], result["passed"]) == (key.trace_id, "ok", True)
    assert "exit status 2" in run(*asked, "--dataset", "trips@2")
    assert "exit status 2" in run(*asked, "--dataset", "other")
