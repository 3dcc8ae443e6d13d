"""`spanloom demo`, run as users do, makes trajectories of a recording and of live agents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.demo.recording import load_recording

if TYPE_CHECKING:
    from tests.conftest import RunSpanloom

TRACE = re.compile(r"/v1/trajectories/([0-9a-f]{32})")


def test_the_recording_becomes_a_trajectory_and_ends_without_a_terminal(
    run_spanloom: RunSpanloom,
) -> None:
    ended = run_spanloom("demo")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    out = ended.stdout
    assert "47 spans in 8 requests acknowledged" in out
    for name in ("company_team", "supervisor", "research_agent", "math_agent", "web_search", "add"):
        assert name in out
    assert "7 model calls" in out
    assert "4 tool runs" in out
    assert "tokens 1,529 in, 146 out" in out
    assert "Together the two companies have 220 people." in out
    assert "\x1b" not in out, "no colours in a pipe"
    assert TRACE.findall(out)[0] != load_recording().trace_id, "each showing is a new run"
    assert "/openapi.json" in out
    assert "spanloom show" in out
    assert "Ctrl-C" not in out
    assert "Ended, because this is not a terminal" in out


def test_live_agents_become_a_trajectory(run_spanloom: RunSpanloom) -> None:
    ended = run_spanloom("demo", "--live", "--exit")
    assert ended.returncode == 0, ended.stderr
    for name in ("planner", "researcher", "ask_researcher", "web_search", "add", "scripted-1"):
        assert name in ended.stdout
    assert "6 model calls" in ended.stdout
    assert "4 tool runs" in ended.stdout
    assert "2 agents" in ended.stdout
