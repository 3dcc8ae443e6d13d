"""``spanloom scores list``, ``add``, and ``spanloom eval agree`` against a service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.command_output import run_command

from spanloom.cli import client as shell

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]

HUMAN, JUDGE = "yyynnnyyyy", "yynnnyyyyy"


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> str:
        return run_command(words).partition("\n")[2]

    return command


def rows(text: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in text.splitlines()]


def test_a_score_is_added_by_options_and_listed(run: Run, world: World) -> None:
    trace = world.write(1, project="default").trace_id
    said = ("scores", "add", trace, "--name", "helpful", "--author", "ada")
    (first,) = rows(run(*said, "--value", "true", "--rationale", "so", "--passed"))
    assert (first["value"], first["passed"], first["target"]) == (True, True, "trajectory")
    (again,) = rows(run(*said, "--value", "0.25", "--label", "low"))
    assert (again["score_id"], again["value"]) == (first["score_id"], 0.25)
    run(*said, "--value", "polite", "--step", "a" * 16)
    run("scores", "add", "--item", "one", "--name", "n", "--author", "a", "--status", "na")
    listed = rows(run("scores", "list"))
    by_target = {one["target"]: one for one in listed}
    assert {target: one["value"] for target, one in by_target.items()} == {
        "item": None,
        "trajectory": 0.25,
        "step": "polite",
    }
    assert rows(run("scores", "list", "--target", "step")) == [by_target["step"]]
    assert rows(run("scores", "list", "--trace", trace, "--limit", "1")) == listed[1:2]
    shown = run("scores", "list", "--output", "table")
    assert "0.25 low" in shown
    assert "ada (api)" in shown
    named = run("scores", "list", "--csv", "--columns", "name,value", "--author", "ada")
    assert {*named.splitlines()} == {"name,value", "helpful,0.25", "helpful,polite"}


@pytest.mark.parametrize(
    ("value", "kind", "kept"),
    [("true", "category", "true"), ("1", None, 1.0), ("one two", "text", "one two")],
)
def test_a_value_has_the_type_that_is_named(
    run: Run, client: Client, value: str, kind: str | None, kept: object
) -> None:
    typed = ("--type", kind) if kind else ()
    run("scores", "add", "1" * 32, "--name", "n", "--author", "a", "--value", value, *typed)
    (found,) = client.scores()
    assert found.value == kept


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("1" * 32, "--name", "n"), "a score needs --author"),
        (("--name", "n", "--author", "a"), "name TRACE, --conversation or --item"),
        (("1" * 32, "--name", "n", "--author", "a", "--value", "x", "--type", "number"), "number"),
        (
            ("1" * 32, "--name", "n", "--author", "a", "--value", "nan", "--type", "number"),
            "no num",
        ),
        (("1" * 32, "--file", "x"), "--file has whole scores"),
        (("--file", "nowhere.jsonl"), "No such file"),
    ],
)
def test_what_cannot_be_meant_is_said(run: Run, words: tuple[str, ...], reason: str) -> None:
    said = run("scores", "add", *words)
    assert reason in said
    assert "exit status 2" in said


def test_lines_of_a_file_are_added_and_bad_ones_named(run: Run, tmp_path: Path) -> None:
    good = {"trace_id": "1" * 32, "name": "n", "author": "a", "value": 1}
    lines = [orjson.dumps(good), b"no", orjson.dumps({**good, "metrics": {"f1": 0.5}, "name": "m"})]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines))
    said = run("scores", "add", "--file", "in.jsonl")
    assert "exit status 1" in said
    told = orjson.loads(said.partition("--- ")[0])
    assert (told["stored"], told["waiting"], told["refused_scores"]) == (2, 2, 1)
    assert told["refused"] == [{"place": "line 2", "reason": "it is no JSON"}]


def label(client: Client, author: str, labels: str, **members: Any) -> None:
    client.write_scores(
        [
            {"trace_id": f"{at + 1:032x}", "author": author, "value": one, **members}
            for at, one in enumerate(labels)
        ]
    )


def test_an_evaluator_is_compared_with_people(run: Run, client: Client) -> None:
    label(client, "ada", HUMAN, name="tone", source="human")
    label(client, "polite", JUDGE, name="polite", source="llm")
    asked = ("eval", "agree", "--evaluator", "polite", "--human")
    (told,) = rows(run(*asked, "tone"))
    assert (told["n"], told["score"], told["unit"]) == (10, "polite", "trajectory")
    assert round(told["kappa"], 4) == 0.5238
    assert rows(run(*asked, "ada"))[0]["confusion"] == told["confusion"]
    shown = run(*asked, "tone", "--output", "table")
    assert "0.5238" in shown
    assert "10 runs compared" in shown
    label(client, "polite", "n" * 10, name="polite", source="llm", experiment="other")
    (other,) = rows(run(*asked, "tone", "--experiment", "other"))
    assert other["kappa"] == 0.0
    assert "there is no score of steps by polite" in run(*asked, "tone", "--unit", "step")
    assert "there is no label of trajectories named bo" in run(*asked, "bo")
    label(client, "polite", "y", name="polite/more", source="llm")
    assert "choose one: polite, polite/more" in run(*asked, "tone")


def test_booleans_are_compared_with_labels_that_mean_them(run: Run, client: Client) -> None:
    label(client, "ada", "yn", name="tone", source="human", target="step", step_id="a" * 16)
    rows_ = [
        {
            "trace_id": f"{at:032x}",
            "author": "polite",
            "name": "polite",
            "source": "code",
            "target": "step",
            "step_id": "a" * 16,
            "value": at == 1,
            "passed": at == 2,
        }
        for at in (1, 2)
    ]
    client.write_scores(rows_)
    asked = ("eval", "agree", "--evaluator", "polite", "--human", "tone", "--unit", "step")
    same = ("--same", "y=true", "--same", "n=false")
    assert rows(run(*asked, *same))[0]["accuracy"] == 1.0
    assert rows(run(*asked, *same, "--passed"))[0]["accuracy"] == 0.0
    assert "write LABEL=LABEL" in run(*asked, "--same", "y")
