"""``spanloom tail``: each run once, when it has finished, and again if it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.unit.terminal.conftest import TRACE

from spanloom.cli import tail
from spanloom.terminal.run_line import print_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import CliRunner


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """What happens between two looks; the end of the list is Ctrl-C."""
    happenings: list[Callable[[], None]] = []

    def sleep(_seconds: float) -> None:
        if not happenings:
            raise KeyboardInterrupt
        happenings.pop(0)()

    monkeypatch.setattr(tail, "sleep", sleep)
    return happenings


def test_only_what_comes_after_the_start_is_printed(
    runner: CliRunner, store: Any, looks: list[Callable[[], None]]
) -> None:
    def arrive() -> None:
        store.version += 1

    looks += [lambda: None, arrive, lambda: None, arrive]
    printed = runner.invoke(tail.tail_command, ["--jsonl"]).stdout.splitlines()
    assert [orjson.loads(line)["version"] for line in printed] == [2, 3]


def test_it_ends_after_so_many_runs(
    runner: CliRunner, store: Any, looks: list[Callable[[], None]]
) -> None:
    def arrive() -> None:
        store.version += 1

    looks += [arrive] * 9
    result = runner.invoke(tail.tail_command, ["--limit", "2"])
    assert result.exit_code == 0
    assert [line.split()[-1] for line in result.stdout.splitlines()] == [TRACE, TRACE]


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
