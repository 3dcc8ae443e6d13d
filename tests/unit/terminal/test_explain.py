"""``spanloom explain`` shows the tree of all spans, with what became of each and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spanloom.cli.spans import explain_command
from spanloom.terminal.span_lines import render_explanation

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import CliRunner

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def span(span_id: str, parent: str = "", step: str | None = None, **more: str) -> dict[str, Any]:
    return {
        "span_id": span_id * 16,
        "parent_span_id": parent * 16 or None,
        "name": f"span {span_id}",
        "kind": "other" if step is None else "model",
        "step_id": None if step is None else step * 16,
        "dialect": "otel_genai",
        "rule": "otel_genai.chat" if step else "once.embedding_alone",
        **more,
    }


SPANS = [
    span("1", "", "1", kind="agent", rule="langchain.create_agent"),
    span("2", "1"),
    span("3", "2", "3"),
    span("4", "3", "3", dialect="traceloop"),
    span("5", "9", "5", kind="tool"),
]
WIDE = """\
4bf92f3577b34da6a3ce929d0e0e4736  5 spans · 3 kept · 1 merged · 1 dropped · otel_genai, traceloop

◆ span 1           agent  kept                   langchain.create_agent (otel_genai)
└─ ○ span 2        other  dropped                once.embedding_alone (otel_genai)
   └─ ● span 3     model  kept                   otel_genai.chat
      └─ ● span 4  model  into 3333333333333333  otel_genai.chat (traceloop)
■ span 5           tool   kept                   otel_genai.chat
"""


def test_every_span_stands_under_its_parent_with_its_fate(screen: Callable[..., Any]) -> None:
    terminal = screen()
    render_explanation({"trace_id": TRACE, "spans": SPANS}, {}, terminal.console)
    assert terminal.text == WIDE
    assert "\x1b" not in terminal.raw


def test_a_wide_terminal_shows_the_ids(screen: Callable[..., Any]) -> None:
    terminal = screen(columns=130)
    render_explanation({"trace_id": TRACE, "spans": SPANS}, {}, terminal.console)
    assert "└─ ○ span 2        2222222222222222  other  dropped" in terminal.text


def test_a_narrow_terminal_cuts_lines_and_breaks_none(screen: Callable[..., Any]) -> None:
    terminal = screen(columns=50)
    render_explanation({"trace_id": TRACE[:4], "spans": SPANS[1:]}, {}, terminal.console)
    assert max(map(len, terminal.text.splitlines())) <= 50


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 140])
def test_no_name_is_cut_to_nothing_however_deep(screen: Callable[..., Any], columns: int) -> None:
    chain = [span("1", "", "1", name="root")]
    for at in range(2, 16):
        above, here = f"{at - 1:x}", f"{at:x}"
        rule = "otel_genai.agent_only_passes_on"
        chain.append(span(here, above, here, name=f"researcher {at}", rule=rule))
    terminal = screen(columns=columns)
    render_explanation({"trace_id": TRACE[:4], "spans": chain}, {}, terminal.console)
    assert all("research" in line for line in terminal.text.splitlines()[3:])
    assert max(map(len, terminal.text.splitlines())) <= columns


def test_colours_are_for_terminals(screen: Callable[..., Any]) -> None:
    terminal = screen(colour=True)
    render_explanation({"spans": SPANS}, {}, terminal.console)
    assert "\x1b[33minto 3333" in terminal.raw
    assert "\x1b[32mkept" in terminal.raw


def test_warnings_and_duplicates_are_said(screen: Callable[..., Any]) -> None:
    extraction = {"warnings": ["2 parent cycles"], "duplicate_of": {"trace_id": "f" * 32}}
    terminal = screen()
    render_explanation({"spans": SPANS}, {"extraction": extraction}, terminal.console)
    assert "\n\n! 2 parent cycles\n! reports again what trace ffff" in terminal.text


def test_content_can_do_nothing_but_be_read(screen: Callable[..., Any]) -> None:
    evil = "\x1b]0;pwned\x07[red]"
    spans = [span("1", "", "2", name=evil, kind=evil, dialect=evil, rule=evil, step_id=evil)]
    terminal = screen(columns=400)
    render_explanation({"trace_id": evil, "spans": spans}, {}, terminal.console)
    assert not {"\x1b", "\x07"} & set(terminal.raw)
    assert terminal.text.count("[red]") == 7


def test_a_long_trace_is_cut_and_says_so(screen: Callable[..., Any]) -> None:
    terminal = screen()
    spans = [{**SPANS[0], "span_id": str(n)} for n in range(2345)]
    render_explanation({"spans": spans}, {}, terminal.console)
    assert "… 345 more spans; --json has all of them" in terminal.text


@given(
    st.lists(
        st.builds(span, st.sampled_from("abcdef"), st.sampled_from(["", *"abcdefg"])),
        unique_by=lambda s: str(s["span_id"]),
    )
)
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_any_parents_give_every_span_once(
    screen: Callable[..., Any], spans: list[dict[str, Any]]
) -> None:
    terminal = screen()
    render_explanation({"spans": spans}, {}, terminal.console)
    drawn = terminal.text.partition("\n\n")[2].splitlines()
    assert len(drawn) == len(spans)
    assert all(terminal.text.count(s["name"]) == 1 for s in spans)


def test_a_chain_of_any_length_is_drawn(screen: Callable[..., Any]) -> None:
    spans = [{**SPANS[0], "span_id": str(n), "parent_span_id": str(n - 1)} for n in range(50_000)]
    terminal = screen()
    render_explanation({"spans": spans[::-1]}, {}, terminal.console)
    assert terminal.text.count(" into 1111") == 2_000


@pytest.mark.service
def test_the_tree_of_the_command_and_what_it_gives_a_pipe(runner: CliRunner) -> None:
    told = runner.invoke(explain_command, ["latest", "--output", "table"])
    assert told.exit_code == 0
    assert "◆ travel_planner       agent  kept     agent.by-name (openinference)" in told.output
    assert "└─ ○ RunnableSequence  other  dropped  chain (openinference)" in told.output
    as_json = runner.invoke(explain_command, [TRACE.upper()])
    assert orjson.loads(as_json.output)["trace_id"] == TRACE


@pytest.mark.service
def test_an_unknown_trace_is_one_line(runner: CliRunner) -> None:
    result = runner.invoke(explain_command, ["0" * 32])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "no trajectory of trace 0000" in result.output
