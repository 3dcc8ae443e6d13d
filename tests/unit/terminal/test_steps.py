"""``spanloom steps`` lists steps, and ``spanloom show`` finds a step by its name."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from click.testing import CliRunner
from tests.support.access import open_access
from tests.support.extracting import World

from spanloom.api.app import create_app
from spanloom.cli.show import show_command
from spanloom.cli.steps import steps_command
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.service

RECORDED = Path(__file__).parents[2] / "fixtures/recorded"
TOOLS = "type = tool"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    world = World()
    for name in ("s04_handoff-oi", "s24_retry-ls", "s12_async-tl"):
        world.send_message(gzip.decompress((RECORDED / f"{name}.otlp.gz").read_bytes()))
    world.step(100)
    world.step(100)
    app = create_app(world.store, Metrics(), open_access())
    server = HttpServer(app, bind("127.0.0.1", 0, "--api-port"), "api")
    server.start()
    yield f"http://127.0.0.1:{server.port}"
    server.stop(grace_s=1)


@pytest.fixture
def runner(url: str) -> CliRunner:
    return CliRunner(env={"SPANLOOM_API_URL": url, "COLUMNS": None})


def lines(runner: CliRunner, *arguments: str) -> list[dict[str, Any]]:
    ended = runner.invoke(steps_command, arguments)
    assert ended.exit_code == 0, ended.output
    return [json.loads(line) for line in ended.output.splitlines()]


def test_steps_are_rows_that_a_query_selects(runner: CliRunner, url: str) -> None:
    found = lines(runner, TOOLS, "--limit", "1000")
    asked = httpx.get(f"{url}/v1/steps", params={"where": TOOLS, "limit": "1000"})
    assert found == asked.json()["items"]
    assert {row["type"] for row in found} == {"tool"}
    [one] = lines(runner, TOOLS, "--where", f'trace_id = "{found[0]["trace_id"]}"', "--limit", "1")
    assert one == found[0]
    assert "no step field" in runner.invoke(steps_command, ["tpye = tool"]).output


def test_texts_are_those_of_the_documents(runner: CliRunner, url: str) -> None:
    for row in lines(runner, TOOLS, "--texts", "--limit", "1000"):
        step = httpx.get(f"{url}/v1/trajectories/{row['trace_id']}/steps/{row['step_id']}").json()
        assert (row["input"], row["output"]) == (step["input"], step["output"])
    chosen = runner.invoke(steps_command, [TOOLS, "--texts", "--fields", "name,error", "--csv"])
    assert chosen.exit_code == 2
    chosen = runner.invoke(steps_command, [TOOLS, "--texts", "--fields", "name", "--csv"])
    rows = list(csv.DictReader(io.StringIO(chosen.output, newline="")))
    assert list(rows[0]) == ["name", "input", "output"]
    assert all(row["input"] for row in rows)


def test_a_terminal_gets_a_few_columns(runner: CliRunner) -> None:
    table = runner.invoke(steps_command, [TOOLS, "--output", "table"]).output
    assert table.split()[:3] == ["trace_id", "step_id", "type"]
    nothing = runner.invoke(steps_command, ['tool = "none"', "--output", "table"])
    assert nothing.output.startswith("No steps")
    assert runner.invoke(steps_command, ['tool = "none"', "--fail-empty"]).exit_code == 1


def test_a_step_is_shown_by_its_name(runner: CliRunner) -> None:
    calls: dict[tuple[str, str], list[str]] = {}
    for row in reversed(lines(runner, "--limit", "1000")):
        calls.setdefault((row["trace_id"], row["name"]), []).append(row["step_id"])
    (trace_id, name), ids = max(calls.items(), key=lambda item: len(item[1]))
    assert len(ids) > 1
    rows = {row["step_id"]: row["position"] for row in lines(runner, "--limit", "1000")}
    ids.sort(key=lambda one: rows[one])
    for asked, wanted in ((name, ids[0]), (f"{name}2", ids[1]), (f"{name}-2", ids[1])):
        shown = runner.invoke(show_command, [trace_id, asked])
        assert shown.exit_code == 0, shown.output
        assert json.loads(shown.output)["id"] == wanted
    missing = runner.invoke(show_command, [trace_id, f"{name}{len(ids) + 1}"])
    assert missing.exit_code == 2
    assert f"did you mean {name}?" in " ".join(missing.output.split())
