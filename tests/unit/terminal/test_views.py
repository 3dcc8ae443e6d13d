"""``spanloom list`` and ``spanloom show`` print runs from a running API."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from click.testing import CliRunner
from tests.support.filters import filtered

from spanloom.cli.lists import list_command
from spanloom.cli.show import show_command
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.process.serving import bind
from spanloom.terminal.runs import render_list

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.service

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NOW_MS = 3_600_000


def test_the_tree_in_a_pipe_has_no_colours(runner: CliRunner) -> None:
    result = runner.invoke(show_command, [TRACE.upper(), "--output", "table"])
    assert result.exit_code == 0
    assert "├─ ■ weather " in result.output
    assert "\x1b" not in result.output


@pytest.mark.parametrize("option", [[], ["--json"], ["--output", "jsonl"]])
def test_show_in_a_pipe_is_the_document_byte_for_byte(runner: CliRunner, option: list[str]) -> None:
    result = runner.invoke(show_command, [TRACE, *option])
    assert result.stdout_bytes == orjson.dumps(canonical_example()) + b"\n"


def test_show_spans_says_what_became_of_each(runner: CliRunner) -> None:
    result = runner.invoke(show_command, [TRACE, "--spans", "--output", "table"])
    assert "agent.by-name" in result.output
    assert "noise" in result.output
    as_json = runner.invoke(show_command, [TRACE, "--spans"])
    assert orjson.loads(as_json.output)["trace_id"] == TRACE


def test_show_latest_is_the_first_of_the_list(runner: CliRunner, store: Any) -> None:
    assert "travel_planner" in runner.invoke(show_command, ["latest"]).output
    store.listed = 0
    result = runner.invoke(show_command, ["latest"])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "there are no trajectories" in result.output


def test_an_empty_list_says_how_to_fill_it(runner: CliRunner, store: Any) -> None:
    store.listed = 0
    result = runner.invoke(list_command, ["--output", "table"])
    assert "`spanloom instrument`" in result.output
    assert result.output.count("\n") == 1
    assert runner.invoke(list_command, []).output == ""


def test_show_of_an_unknown_trace_is_one_line(runner: CliRunner) -> None:
    result = runner.invoke(show_command, ["0" * 32])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "no trajectory of trace 0000" in result.output


@pytest.mark.parametrize("command", [[show_command, "latest"], [list_command]])
def test_nothing_answering_is_one_line_with_the_address(command: list[Any]) -> None:
    free = bind("127.0.0.1", 0, "--api-port")
    url = f"127.0.0.1:{free.getsockname()[1]}"
    free.close()
    result = CliRunner().invoke(command[0], [*command[1:], "--api-url", url])
    assert (result.exit_code, result.output.count("\n")) == (3, 1)
    assert f"nothing answers at http://{url}; start it with `spanloom serve`" in result.output


def test_another_service_is_told_apart(runner: CliRunner, api_url: str) -> None:
    result = runner.invoke(list_command, ["--api-url", f"{api_url}/metrics/"])
    assert result.exit_code == 1  # Spanloom answers, but has no such path
    assert "There is no such path" in result.output


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        (show_command, ["xyz"], "neither 32 hex digits nor `latest`"),
        (
            list_command,
            ["--since", "soon"],
            "write 30m, 2h, 7d, 'last week', yesterday, monday or a date",
        ),
        (list_command, ["--limit", "0"], "0 is not in the range"),
        (list_command, ["--api-url", "ftp://x"], "is no address"),
        (list_command, ["--api-url", "http://[::1"], "is no address"),
    ],
)
def test_what_was_asked_wrongly_exits_with_2(command: Any, arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


@pytest.mark.parametrize("option", [[], ["--json"], ["--jsonl"], ["--output", "jsonl"]])
def test_list_in_a_pipe_is_one_object_a_line(
    option: list[str], runner: CliRunner, store: Any
) -> None:
    store.listed = 3
    lines = runner.invoke(list_command, option).output.splitlines()
    assert [orjson.loads(line)["trace_id"] for line in lines] == [TRACE] * 3


def test_the_table_in_a_pipe_has_no_colours(runner: CliRunner) -> None:
    result = runner.invoke(list_command, ["--output", "table"])
    assert (result.exit_code, "\x1b" in result.output) == (0, False)
    assert result.output.startswith("run ")
    assert TRACE in result.output


def test_list_follows_pages_up_to_its_limit(runner: CliRunner, store: Any) -> None:
    store.listed = 2500
    result = runner.invoke(list_command, ["--limit", "2100"])
    assert result.output.count("\n") == 2100
    assert len(store.asked) == 3


def test_filters_reach_the_store(runner: CliRunner, store: Any) -> None:
    asked = ["--project", "p", "--since", "2026-01-31", "--until", "2026-01-31T12:00:00Z"]
    asked += ["--status", "live", "--root-name", "r", "--agent", "a", "--no-errors"]
    asked += ["--outcome", "ok", "--conversation", "c", "--model", "m", "--service", "s"]
    asked += ["--environment", "e", "--user", "u", "--tag", "t"]
    assert runner.invoke(list_command, asked).exit_code == 0
    day_ns, noon_ns = 1_769_817_600_000_000_000, 1_769_860_800_000_000_000
    where = filtered(
        since=day_ns,
        until=noon_ns,
        status=Status.LIVE,
        root_name="r",
        has_error=False,
        outcome=Outcome.OK,
        duplicate=False,
        has_steps=True,
        agent="a",
        conversation="c",
        model="m",
        service="s",
        environment="e",
        user="u",
        tag="t",
    )
    assert store.asked == [(Reach.only("p"), where)]


def test_since_counts_back_from_now(runner: CliRunner, store: Any) -> None:
    runner.invoke(list_command, ["--since", "2h", "--until", "30m"])
    _, where = store.asked[0]
    since, until = (part.value for part in where.parts if part.field.name == "start")
    between_ns = until - since
    assert between_ns == pytest.approx(90 * 60 * 1e9, abs=5e9)


def item(**changes: Any) -> dict[str, Any]:
    return {
        "trace_id": TRACE,
        "status": "settled",
        "root_name": "travel_planner",
        "started_at": "3588000",
        "duration": "4500",
        "outcome": "ok",
        "agent_names": ["planner", "planner", "critic", "editor"],
        "step_counts": {"model": 3, "tool": 1},
        "input_tokens": 1650,
        "output_tokens": 260,
        **changes,
    }


def test_a_failed_run_says_why_below_its_answer(screen: Callable[..., Any]) -> None:
    terminal = screen()
    why = {"error_type": "KeyError", "error_message": "KeyError: 'city'\n  at line 3"}
    failed = item(outcome="failed", has_error=True, question="Where?", **why)
    recovered = item(outcome="recovered", has_error=False, **why)
    render_list([failed, recovered], terminal.console, NOW_MS)
    lines = terminal.text.splitlines()
    assert [line for line in lines if "KeyError" in line] == ["  failed    KeyError: 'city'"]


def test_the_table_at_100_columns(screen: Callable[..., Any]) -> None:
    terminal = screen()
    about = {"question": "Why [red]\x1b?", "answer": "Because.", "conversation_id": "c-1"}
    again = item(outcome="failed", models=["a", "b", "c"], duplicate_of="f" * 32)
    render_list([item(models=["gpt-4o"], **about), again], terminal.console, NOW_MS)
    assert terminal.text.splitlines() == [
        f"run{'':32}model{'':14}steps{'':12}tokens     time  when",
        f"travel_planner{'':21}gpt-4o{'':13}3 models       1,650 in   4.50 s  12 s ago",
        f"{TRACE}                      1 tool          260 out           settled",
        "  asked     Why [red]\\x1b?",
        "  answered  Because.",
        "  in        conversation c-1",
        "",
        f"travel_planner ✗ failed{'':12}a{'':18}3 models       1,650 in   4.50 s  12 s ago",
        f"{TRACE}   b +1               1 tool          260 out           settled",
        f"  repeats   {'f' * 32}",
        "",
    ]


def test_only_signs_that_a_list_has_are_explained(screen: Callable[..., Any]) -> None:
    terminal = screen(colour=True)
    runs = [item(outcome=outcome) for outcome in ("paused", "ok", "recovered", "paused")]
    render_list(runs, terminal.console, NOW_MS)
    assert terminal.text.splitlines()[-2:] == [
        "! recovered: something failed, but the run continued   … paused: waits for a person",
        "settled: complete, no more spans are expected",
    ]


def test_a_line_names_the_runs_that_go_on_with_each_other(screen: Callable[..., Any]) -> None:
    terminal = screen()
    both = item(outcome="paused", resumes="a" * 32, resumed_by="b" * 32)
    render_list([both], terminal.console, NOW_MS)
    assert "travel_planner … paused" in terminal.text
    assert f"  resumes   {'a' * 32}\n  resumed   by {'b' * 32}\n" in terminal.text


def test_a_wide_table_names_two_agents_and_counts_the_others(screen: Callable[..., Any]) -> None:
    terminal = screen(columns=130)
    render_list([item()], terminal.console, NOW_MS)
    first, second = terminal.text.splitlines()[1:3]
    assert "  planner  " in first
    assert "  critic +1  " in second


@pytest.mark.parametrize(
    ("cost", "shown"),
    [(None, ""), (0.000021, "<$0.0001"), (0.0042, "$0.0042"), (1234.5, "$1,234.50")],
)
def test_a_wide_table_says_what_a_run_cost(
    cost: float | None, shown: str, screen: Callable[..., Any]
) -> None:
    terminal = screen(columns=140)
    render_list([item(cost=cost)], terminal.console, NOW_MS)
    assert "cost" in terminal.text.splitlines()[0]
    assert shown in terminal.text
    assert ("$" in terminal.text) is (cost is not None)


@pytest.mark.parametrize(("columns", "lost"), [(90, "model"), (70, "tokens"), (44, "when")])
def test_a_narrow_table_loses_columns_and_keeps_the_trace_id_whole(
    columns: int, lost: str, screen: Callable[..., Any]
) -> None:
    terminal = screen(columns=columns)
    render_list([item(root_name="n" * 99, question="q" * 300)], terminal.console, NOW_MS)
    heading = terminal.text.splitlines()[0]
    assert TRACE in terminal.text
    assert lost not in heading
    assert "time" in heading
    assert max(map(len, terminal.text.splitlines())) <= columns


def test_an_empty_list_says_what_to_do(screen: Callable[..., Any]) -> None:
    terminal = screen()
    render_list([], terminal.console, NOW_MS)
    assert "`spanloom demo`" in terminal.text


@pytest.mark.parametrize("command", [show_command, list_command])
def test_help_teaches_by_examples(command: Any) -> None:
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
    assert "Examples:\n  spanloom " in result.output
    assert "SPANLOOM_API_URL" in result.output


def test_the_commands_do_not_load_the_server() -> None:
    code = "import sys, spanloom.cli.lists, spanloom.cli.show; print('fastapi' in sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert loaded.stdout == "False\n"
