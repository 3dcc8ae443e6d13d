"""Alerts through the client, and ``spanloom alerts``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.command_output import run_command

from spanloom.cli import client as shell
from spanloom.client import NotFoundError
from spanloom.core.model.alert import AlertEvent, AlertState, channel_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.client.conftest import World

    from spanloom import Client

    Run = Callable[..., str]

URL = "https://hooks.example.com/agents"
DEFINED = {"where": "duration > 5m", "channels": [{"kind": "webhook", "url": URL}]}


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command against the service in this process."""
    monkeypatch.setattr(shell, "Client", lambda *_, **__: world.client())
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> str:
        return run_command(("alerts", *words)).partition("\n")[2]

    return command


def test_an_alert_is_made_tried_listed_and_deleted(client: Client, world: World) -> None:
    made = client.put_alert("slów 1", DEFINED, project="shop", annotator="Zoë")
    assert (made.name, made.where, made.put_by) == ("slów 1", "duration > 5m", "Zoë")
    assert client.alert("slów 1", project="shop") == made
    assert list(client.alerts(project="shop")) == [made]
    tried = client.try_alert(DEFINED, days=3, project="shop")
    assert (tried["fired"], tried["runs"]) == (0, [])
    place = ("shop", "slów 1", 1, "e", 1, AlertState.FIRING, 1_000, "t", 2)
    fired = AlertEvent(*place, channels=[channel_key("webhook", URL)])
    world.store.alerts.add_events([fired], [])
    page = client.alert_events("slów 1", state="firing", current=True, project="shop")
    assert [(one.id, one.trace_id, one.version) for one in page.items] == [("e", "t", 2)]
    assert page.items[0].deliveries[0].channel == f"webhook {URL}"
    assert client.delete_alert("slów 1", project="shop").firing == 1
    with pytest.raises(NotFoundError):
        client.alert("slów 1", project="shop")


def test_the_shell_puts_shows_and_deletes_one(run: Run, tmp_path: Path) -> None:
    asked = ("--where", "cost > 1", "--slack", "https://hooks.slack.com/services/x")
    made = orjson.loads(run("put", "costly", *asked, "--secret-file", "/s", "--severity", "high"))
    assert (made["where"], made["severity"]) == ("cost > 1", "high")
    assert made["channels"] == [
        {"kind": "slack", "url": "https://hooks.slack.com/***", "secret_file": "/s"}
    ]
    (tmp_path / "errors.json").write_bytes(
        orjson.dumps({"metric": "rate(error)", "window": "15m", "above": 0.1})
    )
    again = orjson.loads(run("put", "errors", "--file", "errors.json", "--above", "0.2"))
    assert (again["metric"], again["above"]) == ("rate(error)", 0.2)
    table = run("list", "--output", "table")
    assert "costly" in table
    assert "rate(error) of runs > 0.2 in 15m" in table
    shown = run("show", "costly", "--output", "table")
    assert "asks  cost > 1" in shown
    assert "slack  https://hooks.slack.com/***, signed" in shown
    assert run("delete", "errors") == "deleted errors\n"
    assert "errors" not in run("list", "--output", "table")


def test_the_shell_tries_one_and_lists_events(run: Run, world: World) -> None:
    run("put", "slow", "--where", "duration > 5m")
    told = orjson.loads(run("test", "slow"))
    assert told["fired"] == 0
    assert "would have fired for 0 of 0 runs" in run(
        "test", "--where", "has_error", "--days", "3", "--output", "table"
    )
    at_us = 1_796_083_140 * 1_000_000
    fired = AlertEvent("default", "slow", 1, "e", 1, AlertState.FIRING, at_us, "t1", 2)
    taken = replace(
        fired,
        number=2,
        state=AlertState.WITHDRAWN,
        at_us=at_us + 1,
        reason={"version": 3, "late_spans": ["a"]},
    )
    world.store.alerts.add_events([fired, taken], [])
    table = run("events", "slow", "--output", "table")
    assert "withdrawn  t1  version 3, 1 late span" in table
    rows = run("events", "slow", "--state", "firing", "--csv", "--columns", "state,trace_id")
    assert rows.split() == ["state,trace_id", "firing,t1"]
    assert run("events", "slow", "--state", "firing", "--current", "--output", "table") == (
        "Nothing fired.\n"
    )


def test_the_shell_says_what_is_missing(run: Run, tmp_path: Path) -> None:
    assert "name a condition" in run("put", "a")
    (tmp_path / "bad.json").write_text("[1]")
    assert "it has no members" in run("put", "a", "--file", "bad.json")
    (tmp_path / "bad.json").write_text("{")
    assert "bad.json: line 1" in run("test", "--file", "bad.json")
    (tmp_path / "good.yaml").write_text("where: cost > 1\n")
    assert "would have fired" in run("test", "--file", "good.yaml", "--output", "table")
    assert "no run field" in run("put", "a", "--where", "durtion > 5m")
