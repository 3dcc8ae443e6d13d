"""``spanloom conversations`` lists conversations and their runs from a running API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.filters import filtered

from spanloom.cli.lists import AT_MOST, conversations_command
from spanloom.core.model.access import Reach
from spanloom.terminal.tables import render_conversations

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import CliRunner

pytestmark = pytest.mark.service

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NOW_MS = 3_600_000


def item(outcome: str = "ok", **changes: Any) -> dict[str, Any]:
    last = {"trace_id": TRACE, "started_at": "3588000", "status": "settled", "outcome": outcome}
    return {
        "conversation_id": "trip",
        "runs": 3,
        "question": "Where to?",
        "answer": "Oslo",
        "user_id": "ada",
        "input_tokens": 1650,
        "output_tokens": 260,
        "last_run": last,
        **changes,
    }


def test_the_table_at_100_columns(screen: Callable[..., Any]) -> None:
    terminal = screen()
    waiting = item("paused", conversation_id="x\x1b" * 30, answer="", user_id=None)
    render_conversations([item(), waiting], terminal.console, NOW_MS)
    name = "x\\x1b" * 30
    assert terminal.text.splitlines() == [
        f"conversation{'':37}user{'':16}runs{'':7}tokens  when",
        f"trip{'':45}ada{'':20}3     1,650 in  12 s ago",
        f"{'':79}260 out  settled",
        "  asked     Where to?",
        "  answered  Oslo",
        "",
        f"{name[:47]}{'':25}3     1,650 in  12 s ago",
        f"{name[47:94]}{'':32}260 out  settled",
        name[94:141],
        f"{name[141:]} … paused",
        "  asked     Where to?",
        "  waits     for a person",
        "",
    ]


@pytest.mark.parametrize("columns", [90, 70, 54, 44])
def test_a_narrow_table_loses_columns_and_no_id(columns: int, screen: Callable[..., Any]) -> None:
    terminal = screen(columns=columns)
    render_conversations([item(conversation_id="c" * 99)], terminal.console, NOW_MS)
    lines = terminal.text.splitlines()
    assert sum(line.count("c") for line in lines[1:5]) == 99
    assert max(map(len, lines)) <= columns
    assert "runs" in lines[0]


def test_an_empty_list_says_what_a_conversation_is(screen: Callable[..., Any]) -> None:
    terminal = screen()
    render_conversations([], terminal.console, NOW_MS)
    assert "session or thread id" in terminal.text


def test_the_list_as_table_and_in_a_pipe(runner: CliRunner, store: Any) -> None:
    store.listed = AT_MOST + 5
    table = runner.invoke(conversations_command, ["--output", "table"]).output
    assert table.startswith("conversation ")
    assert table.count("… paused") == AT_MOST
    lines = runner.invoke(conversations_command, ["--limit", "3"]).output.splitlines()
    assert [orjson.loads(line)["conversation_id"] for line in lines] == [
        f"talk {n}" for n in (24, 23, 22)
    ]


def test_filters_of_the_list_reach_the_store(runner: CliRunner, store: Any) -> None:
    asked = ["--project", "p", "--since", "1970-01-01T00:00:01Z", "--user", "u"]
    asked += ["--until", "1970-01-01T00:00:02Z", "--service", "s", "--environment", "e"]
    assert runner.invoke(conversations_command, asked).exit_code == 0
    where = filtered(since=10**9, until=2 * 10**9, service="s", environment="e", user="u")
    assert store.asked == [(Reach.only("p"), where)]


@pytest.mark.parametrize(("option", "left_out"), [([], True), (["--all"], False)])
def test_with_an_id_its_runs_are_listed(
    runner: CliRunner, store: Any, option: list[str], left_out: bool
) -> None:
    store.listed = 2
    result = runner.invoke(conversations_command, ["trip", "--output", "table", *option])
    assert result.output.startswith("run ")
    assert result.output.count(TRACE) == 2
    where = filtered(duplicate=False if left_out else None, has_steps=True if left_out else None)
    assert store.asked[0] == (Reach.ALL, where)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nobody"], 1, "no trajectory of conversation 'nobody'"),
        (["trip", "--user", "ada"], 2, "filters choose conversations"),
    ],
)
def test_what_cannot_be_answered_is_said(
    runner: CliRunner, arguments: list[str], status: int, said: str
) -> None:
    result = runner.invoke(conversations_command, arguments)
    assert result.exit_code == status
    assert said in result.output
