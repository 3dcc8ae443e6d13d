"""Online rules through the client and ``spanloom online-rules``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.client import NotFoundError, QueryError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]

LIMITS: dict[str, Any] = {"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}


def test_a_rule_is_put_changed_and_deleted(client: Client) -> None:
    rule = {"where": "outcome = failed", "evaluators": [LIMITS], "sample": 0.5}
    made = client.put_online_rule("of ó", rule, project="shop", annotator="Zoë")
    assert (made.name, made.version, made.evaluators, made.put_by) == ("of ó", 1, [LIMITS], "Zoë")
    assert client.online_rule("of ó", project="shop") == made
    assert client.put_online_rule("of ó", {"paused": True}, project="shop").paused
    assert client.put_online_rule("of ó", {}, rescore=True, project="shop").version == 2
    past = client.backfill_online_rule("of ó", since=5, project="shop").backfill
    assert past == {"from": "5", "to": None, "taken": 0, "done": False}
    assert [one.name for one in client.online_rules(project="shop")] == ["of ó"]
    assert client.delete_online_rule("of ó", project="shop").version == 2
    with pytest.raises(NotFoundError):
        client.online_rule("of ó", project="shop")
    with pytest.raises(QueryError):
        client.put_online_rule("r", {"where": "durtion > 5s", "evaluators": [LIMITS]})


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> str:
        return run_command(("online-rules", *words)).partition("\n")[2]

    return command


def test_a_rule_is_put_and_shown_by_the_shell(run: Run, tmp_path: Path) -> None:
    text = "evaluators: [{name: limits, kind: rules, rules: {max_tool_calls: 4}}]\nsample: 0.5\n"
    (tmp_path / "rule.yaml").write_text(text + "budget: {runs: 7}\n")
    assert run("put", "limits", "rule.yaml", "--where", "outcome = failed") == "limits@1\n"
    assert run("put", "limits", "rule.yaml", "--rescore") == "limits@2\n"
    run("backfill", "limits", "--since", "7d")
    run("pause", "limits")
    told = orjson.loads(run("show", "limits", "--output", "json"))
    assert (told["paused"], told["where"], told["sample"]) == (True, "outcome = failed", 0.5)
    shown = run("show", "limits", "--output", "table")
    for line in (
        "limits @2 paused",
        "evaluator  limits rules",
        "7 runs a day",
        "under way, 0 runs",
    ):
        assert line in shown
    assert "outcome = failed" in run("list", "--output", "table")
    (tmp_path / "limits.json").write_text(run("show", "limits", "--output", "json"))
    assert run("put", "limits", "limits.json") == "limits@2\n"
    run("resume", "limits")
    assert orjson.loads(run("show", "limits", "--output", "json"))["paused"] is False
    assert run("delete", "limits") == "limits is deleted.\n"
    assert "No online rules" in run("list", "--output", "table")


def test_a_file_that_cannot_be_meant_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("sample: 1\nsample: 2\n")
    assert "bad.yaml: line 2" in run("put", "r", "bad.yaml")
    (tmp_path / "list.yaml").write_text("- 1\n")
    assert "no members" in run("put", "r", "list.yaml")
    assert "No such file" in run("put", "r", "none.yaml")
    (tmp_path / "odd.yaml").write_text("evaluators: [{kind: mach}]\n")
    assert "it is one of match" in run("put", "r", "odd.yaml")
