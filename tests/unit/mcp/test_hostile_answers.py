"""Whatever senders recorded and agents request, each MCP answer stays within its limit."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.access import Locks
from tests.support.extracting import World
from tests.support.hostile_run import MANY, hostile_run

from spanloom.api.app import create_app
from spanloom.metrics import Metrics

pytest.importorskip("mcp", reason="the MCP library is not installed")

from tests.support.mcp_calls import REFUSED, answers, body_of, every_call

from spanloom.mcp.data import MOST_CHARS
from spanloom.mcp.requests import LocalApi
from spanloom.mcp.server import make_server

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

RECORDED = Path(__file__).parents[2] / "fixtures/recorded/s12_async-tl.otlp.gz"
HOSTILE = [f"{number:032x}" for number in range(1, 31)]


@pytest.fixture(scope="module")
def server() -> MCPServer[Any]:
    world = World()
    world.send_message(gzip.decompress(RECORDED.read_bytes()))
    for trace_id in HOSTILE[:2]:
        world.send_message(hostile_run(trace_id))
    for _ in range(3):
        world.step(100)
    return make_server(LocalApi(create_app(world.store, Metrics(), Locks().access)))


def test_every_answer_is_short_enough_and_says_how_to_go_on(server: MCPServer[Any]) -> None:
    calls = every_call(*HOSTILE[:2])
    for call, (failed, text) in zip(calls, answers(server, calls), strict=True):
        assert not failed, (call, text)
        body = body_of(text)
        cut = body.get("left_out") or body.get("left_out_chars")
        assert bool(cut) == bool(body.get("next_call")), call


def test_every_refusal_is_short_enough(server: MCPServer[Any]) -> None:
    for call, (failed, text) in zip(REFUSED, answers(server, REFUSED), strict=True):
        assert failed, (call, text)
        assert 0 < len(text) <= MOST_CHARS // 4


def test_all_steps_are_read_by_following_what_answers_say(server: MCPServer[Any]) -> None:
    seen: set[int] = set()
    steps = f"1-{MANY + 1}"
    while steps:
        asked = {"trace_id": HOSTILE[0], "view": "steps", "steps": steps, "max_chars": 100}
        [(_, text)] = answers(server, [("get_trajectory", asked)])
        body = body_of(text)
        found = {step["step"] for step in body["items"]}
        assert found
        assert not found & seen
        seen |= found
        steps = body.get("next_call", "").partition('steps="')[2].partition('"')[0]
    assert seen == set(range(1, MANY + 2))
