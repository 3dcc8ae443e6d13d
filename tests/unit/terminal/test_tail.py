"""``spanloom tail`` prints each run once, when it has finished, and again if it changes."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from click.testing import CliRunner
from tests.support.served_feed import ServedFeed
from tests.support.trajectory_lists import trace
from tests.unit.terminal.conftest import TRACE

from spanloom.cli.tail import tail_command
from spanloom.client import Change, changes
from spanloom.core.model.trajectory import Status
from spanloom.terminal.runs import print_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

pytestmark = pytest.mark.service


@pytest.fixture
def tail(served: ServedFeed, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """A function that runs the command, and calls ``happens`` after the first answer."""
    monkeypatch.setattr(changes, "FIRST_PAUSE_S", 0.05)

    def run(happens: Callable[[], None], *arguments: str) -> Result:
        parameters = changes.Following.parameters
        began = threading.Event()

        def asking(following: changes.Following, wait_s: float) -> dict[str, str | float]:
            if following.token is not None:
                began.set()
            return parameters(following, wait_s)

        def happening() -> None:
            assert began.wait(60)
            happens()

        monkeypatch.setattr(changes.Following, "parameters", asking)
        thread = threading.Thread(target=happening)
        thread.start()
        runner = CliRunner(env={"SPANLOOM_API_URL": served.url, "COLUMNS": None})
        result = runner.invoke(tail_command, arguments)
        thread.join()
        return result

    return run


def printed(result: Result) -> list[tuple[int, int]]:
    lines = [orjson.loads(line) for line in result.stdout.splitlines()]
    return [(int(line["trace_id"], 16), line["version"]) for line in lines]


def test_what_comes_after_the_start_is_printed_once(
    served: ServedFeed, tail: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    take, is_told = changes.Following.take, threading.Event()

    def taking(following: changes.Following, page: changes.ChangePage) -> Iterator[Change]:
        yield from take(following, page)
        if any(change.trace_id == trace(3) for change in page.items):
            is_told.set()

    monkeypatch.setattr(changes.Following, "take", taking)
    served.say(1)

    def happens() -> None:
        for version, status in ((1, Status.LIVE), (2, Status.SETTLED), (2, Status.SETTLED)):
            served.say(2, version=version, status=status)
        served.say(3)
        assert is_told.wait(60)  # a reader may get only the latest state of a run
        served.say(2, version=3)

    result = tail(happens, "--limit", "3")
    assert result.exit_code == 0
    assert printed(result) == [(2, 2), (3, 1), (2, 3)]


def test_the_filters_of_the_list_narrow_it_down(
    served: ServedFeed, tail: Callable[..., Result]
) -> None:
    def happens() -> None:
        served.say(1, agent="other")
        served.say(2, project="elsewhere", agent="wanted")
        served.say(3, status=Status.LIVE, agent="wanted")
        served.say(4, agent="wanted")

    of = ("--jsonl", "-f", "--agent", "wanted", "--project", "p")
    assert printed(tail(happens, *of, "--limit", "1")) == [(4, 1)]


def test_runs_that_grow_are_printed_where_that_is_asked_for(
    served: ServedFeed, tail: Callable[..., Result]
) -> None:
    result = tail(
        lambda: served.say(1, status=Status.LIVE),
        "--status",
        "live",
        "--limit",
        "1",
        "--output",
        "table",
    )
    assert [line.split()[-1] for line in result.stdout.splitlines()] == [trace(1)]


def test_it_goes_on_where_it_was_when_the_service_is_back(
    served: ServedFeed, tail: Callable[..., Result]
) -> None:
    again = []

    def happens() -> None:
        served.server.stop(1)
        served.say(5)  # no client is connected now
        time.sleep(0.2)
        again.append(ServedFeed(served.store, served.server.port))
        again[0].say(6)

    result = tail(happens, "--jsonl", "--limit", "2")
    again[0].server.stop(1)
    assert printed(result) == [(5, 1), (6, 1)]
    assert "trying again" in result.stderr


def test_a_service_that_never_answered_ends_it() -> None:
    result = CliRunner().invoke(tail_command, ["--api-url", "http://127.0.0.1:9"])
    assert result.exit_code == 3
    assert "start it with `spanloom serve`" in result.stderr


def test_a_line_has_how_it_went_and_the_whole_id(screen: Callable[..., Any]) -> None:
    terminal = screen(columns=140)
    item = {
        "trace_id": TRACE,
        "status": "settled",
        "outcome": "failed",
        "root_name": "travel\x1b_planner",
        "started_at": "3588000",
        "duration": "4500",
        "step_counts": {"model": 3, "tool": 1},
        "input_tokens": 1650,
        "output_tokens": 260,
    }
    print_run(item, terminal.console)
    (line,) = terminal.text.splitlines()
    for part in ("\u2717 failed", "travel\\x1b_planner", "4.50 s", "3 models, 1 tool", TRACE):
        assert part in line
