"""Agents find and read stored runs through MCP tools whose answers are limited in size."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.access import Locks
from tests.support.extracting import World

from spanloom.api.app import create_app
from spanloom.metrics import Metrics

pytest.importorskip("mcp", reason="the MCP library is not installed")

from mcp import Client

from spanloom.mcp import data
from spanloom.mcp.data import MOST_CHARS, NOTICE
from spanloom.mcp.requests import LocalApi
from spanloom.mcp.server import make_server

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

RECORDED = Path(__file__).parents[2] / "fixtures/recorded"
RUNS = ("s04_handoff-oi", "s24_retry-ls", "s12_async-tl")
UPTIME = "156a2fca9b26f471ba5a29dc0af86dfe"
GOLDEN = Path(__file__).parents[2] / "fixtures/mcp/tools.json"
"""The tool descriptions that each agent reads first: ``json.dumps(told, indent=1)`` of the test."""
SCHEMA_BYTES = 8_000


@pytest.fixture(scope="module")
def server() -> MCPServer[Any]:
    world = World()
    for name in RUNS:
        world.send_message(gzip.decompress((RECORDED / f"{name}.otlp.gz").read_bytes()))
    world.step(100)
    world.step(100)
    app = create_app(world.store, Metrics(), Locks().access)
    return make_server(LocalApi(app))


def call(server: MCPServer[Any], tool: str, **arguments: object) -> tuple[bool, str]:
    """Call an MCP tool; return whether it failed, and the text of its answer."""

    async def ask() -> tuple[bool, str]:
        async with Client(server) as client:
            answer = await client.call_tool(tool, arguments)
            return bool(answer.is_error), "".join(part.text for part in answer.content)  # type: ignore[union-attr]

    return asyncio.run(ask())


def read(server: MCPServer[Any], tool: str, **arguments: object) -> dict[str, Any]:
    failed, text = call(server, tool, **arguments)
    assert not failed, text
    assert len(text) <= MOST_CHARS
    notice, body = text.split("\n", 1)
    assert notice == NOTICE
    found: dict[str, Any] = json.loads(body)
    return found


def test_runs_are_found_and_read_step_by_step(server: MCPServer[Any]) -> None:
    found = read(server, "search_trajectories", since="all", where="model_steps > 3")
    assert UPTIME in {run["trace_id"] for run in found["items"]}
    run = read(server, "get_trajectory", trace_id=UPTIME)
    assert run["steps"] == sum(line.get("times", 1) for line in run["items"])
    [step] = read(server, "get_trajectory", trace_id=UPTIME, view="steps", steps="2")["items"]
    assert step["step"] == 2
    whole = read(server, "get_trajectory", trace_id=UPTIME, view="full")
    assert json.loads(whole["text"])["id"] == UPTIME


def test_a_run_is_told_with_the_step_it_was_found_by(server: MCPServer[Any]) -> None:
    asked = {"since": "all", "where": "has(type = model then type = tool) and model_steps > 3"}
    for run in read(server, "search_trajectories", **asked)["items"]:
        assert run["matching_step"]["type"] == "model"
        [found] = read(server, "search_trajectories", since="all", where=_of(run))["items"]
        assert found["matching_step"] is None  # no condition of the query is about a step
    [said] = read(server, "search_trajectories", since="all", text="sites")["items"][:1]
    assert {"step_id", "type", "name"} <= set(said["matching_step"])
    plain = read(server, "search_trajectories", since="all", where="model_steps > 3")["items"]
    assert not [run for run in plain if "matching_step" in run]


def test_a_run_says_why_it_failed(server: MCPServer[Any]) -> None:
    found = read(server, "search_trajectories", since="all", where="failures > 0")["items"]
    assert found
    assert all(run["error_message"] for run in found)
    sound = read(server, "search_trajectories", since="all", where="failures = 0")["items"]
    assert sound
    assert not [run for run in sound if "error_message" in run or "error_type" in run]


def _of(run: dict[str, Any]) -> str:
    return f'trace_id = "{run["trace_id"]}" and count(tool = "no such tool") = 0'


def test_tools_count_compare_and_describe(server: MCPServer[Any]) -> None:
    counted = read(server, "stats", metrics="count", of="steps", group_by="type", since="all")
    assert {group["type"] for group in counted["items"]} >= {"agent", "model"}
    runs = read(server, "search_trajectories", since="all")["items"]
    a, b = (run["trace_id"] for run in runs[:2])
    compared = read(server, "diff_trajectories", a=a, b=b)
    assert (compared["same"], compared["items"]) == (False, [])
    assert read(server, "diff_trajectories", a=a, b=b, view="steps")["items"]
    fields = read(server, "describe_fields", of="steps")["items"]
    assert "first_token" in {field["name"] for field in fields}
    values = read(server, "describe_fields", values_of="root_name")["items"]
    assert values


def test_a_wrong_question_is_an_error_that_shows_where(server: MCPServer[Any]) -> None:
    failed, text = call(server, "search_trajectories", where="durtion > 5s")
    assert failed
    assert "duration" in text
    assert "  durtion > 5s\n  ^^^^^^^" in text
    for tool, asked in (
        ("get_trajectory", {"trace_id": "0" * 32}),
        ("get_trajectory", {"trace_id": UPTIME, "view": "steps", "steps": "900"}),
        ("search_trajectories", {"since": "soon"}),
    ):
        assert call(server, tool, **asked)[0], tool


def test_an_unknown_argument_is_refused_with_the_known_ones(server: MCPServer[Any]) -> None:
    failed, text = call(server, "search_trajectories", where="has_error", filter="cost > 1")
    assert failed
    assert "no argument 'filter'" in text
    assert "where, text, project" in text
    assert "context" not in text
    assert not call(server, "search_trajectories", where="has_error")[0]


@pytest.mark.parametrize("since", ["9999d", "all", "2020-01-01T00:00:00Z"])
def test_pages_follow_each_other(server: MCPServer[Any], since: str) -> None:
    """A relative ``since`` would move with each call, so the cursor keeps the first call's time."""
    asked: dict[str, object] = {"since": since, "where": "steps >= 0", "limit": 1}
    seen: list[str] = []
    while True:
        page = read(server, "search_trajectories", **asked)
        seen += [run["trace_id"] for run in page["items"]]
        if page["next_cursor"] is None:
            break
        asked["cursor"] = page["next_cursor"]
    everything = read(server, "search_trajectories", since="all", where="steps >= 0", limit=50)
    assert seen == [run["trace_id"] for run in everything["items"]]
    assert len(seen) > 2
    failed, text = call(server, "search_trajectories", since=since, cursor=asked["cursor"])
    assert (failed, "another query" in text) == (True, True)


def test_what_has_no_room_comes_with_the_next_page(
    server: MCPServer[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [run["trace_id"] for run in read(server, "search_trajectories", since="all")["items"]]
    monkeypatch.setattr(data, "MOST_CHARS", 1_900)
    first = read(server, "search_trajectories", since="all")
    assert 0 < len(first["items"]) < len(whole)
    assert "left_out" not in first
    behind = read(server, "search_trajectories", since="all", cursor=first["next_cursor"])
    found = [run["trace_id"] for run in (*first["items"], *behind["items"])]
    assert found == whole[: len(found)]


def test_the_tools_only_read_and_take_little_to_describe() -> None:
    async def ask() -> list[Any]:
        async with Client(make_server(LocalApi(), "http://127.0.0.1:8123")) as client:
            return list((await client.list_tools()).tools)

    tools = asyncio.run(ask())
    assert all(t.annotations.read_only_hint and not t.annotations.open_world_hint for t in tools)
    told = [tool.model_dump(mode="json", exclude_none=True) for tool in tools]
    assert told == json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert len(json.dumps(told)) <= SCHEMA_BYTES
    assert [tool["name"] for tool in told][-1] == "query_sql"  # only where there is an SQL port
