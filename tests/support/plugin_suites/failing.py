"""A suite in which every test fails."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace
from tests.support.plugin_suites.acting import act

if TYPE_CHECKING:
    from spanloom.testing.opening import OpenRun

_tries: list[int] = []


def test_rule(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search", "delete_all", fails="delete_all")
    run.rules(forbidden_tools=["delete_*"])


def test_line(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
    run.check('not has(tool = "search")')


def test_unknown_cost(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
    run.rules(first_token_ms=100)


def test_crash(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
    run.evaluate(lambda document, _: bool(document["no such member"]))


def test_nothing(agent_run: OpenRun) -> None:
    with agent_run():
        pass


def test_span_around(agent_run: OpenRun) -> None:
    with trace.get_tracer("around").start_as_current_span("around"), agent_run():
        act("search")


def test_unattributed(agent_run: OpenRun) -> None:
    with agent_run(), agent_run():
        thread = threading.Thread(target=act, args=("search",))
        thread.start()
        thread.join()


def test_endless(agent_run: OpenRun) -> None:
    with agent_run(wait_s=0):
        trace.get_tracer("endless").start_span("endless")


def test_early(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
        run.rules(max_tool_calls=1)


def test_own_error(agent_run: OpenRun) -> None:
    with agent_run():
        raise ValueError("its own error")


@pytest.mark.spanloom(repeats=4, require="pass@1 >= 0.75")
def test_repeats(agent_run: OpenRun) -> None:
    _tries.append(1)
    with agent_run() as run:
        act(*["search"] * (len(_tries) % 2 + 1))
    run.rules(max_tool_calls=1)


@pytest.mark.spanloom(repeats=2, require="pass@3 >= 0.75")
def test_mark(agent_run: OpenRun) -> None:
    with agent_run():
        act("search")


def test_golden(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
    run.match("missing.golden.json")
