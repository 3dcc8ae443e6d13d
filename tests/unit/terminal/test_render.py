"""A trajectory is drawn as a tree on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.examples import examples

from spanloom.terminal.render import render_trajectory
from spanloom.terminal.spans import render_spans

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = """\
travel_planner · settled · 2024-05-11 04:00:00 UTC · project default
4bf92f3577b34da6a3ce929d0e0e4736  version 1 · 14 spans · openinference
asked     Plan three days in Shanghai, starting this Saturday.
answered  Saturday: the Bund. Sunday, heavy rain: Shanghai Museum, booked three days ahead.

◆ travel_planner              4.50 s  650 → 260  ━━━━━━━━━━━━━━━━━━━━━━━━
├─ ● ChatOpenAI  gpt-4o-mini  400 ms  100 → 50   ━━
├─ ■ weather                  500 ms               ━━━
├─ ● ChatOpenAI  gpt-4o-mini  600 ms  200 → 60        ━━━
├─ ■ search                   800 ms                     ━━━━
└─ ● ChatOpenAI  gpt-4o-mini  2.10 s  350 → 150              ━━━━━━━━━━━

3 model calls in 3.10 s · 2 tool runs in 1.30 s · 1 agent · tokens 650 in, 260 out
"""
ASCII = """\
@ travel_planner              4.50 s  650 -> 260  ========================
|- * ChatOpenAI  gpt-4o-mini  400 ms  100 -> 50   ==
|- + weather                  500 ms                ===
"""


def test_the_example_at_100_columns(example: dict[str, Any], screen: Callable[..., Any]) -> None:
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert terminal.text == WIDE
    assert "\x1b" not in terminal.raw


def test_a_terminal_without_unicode_gets_plain_signs(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    terminal = screen(encoding="ascii")
    render_trajectory(example, terminal.console)
    assert ASCII in terminal.text


def test_colours_are_for_terminals(example: dict[str, Any], screen: Callable[..., Any]) -> None:
    terminal = screen(colour=True)
    render_trajectory(example, terminal.console)
    assert "\x1b[36m● " in terminal.raw
    assert terminal.text == WIDE


def test_a_narrow_terminal_drops_the_bars_and_cuts_names(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    terminal = screen(columns=40)
    render_trajectory(example, terminal.console)
    assert "━" not in terminal.text
    assert "├─ ● ChatOpenAI  gpt…  400 ms  100 → 50" in terminal.text
    assert max(map(len, terminal.text.splitlines())) <= 40


def test_bars_make_room_for_a_long_name_and_its_model(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    terminal = screen()
    name = "OpenAIChatCompletionClient.create of the team"
    example["agent_steps"][0]["steps"][0]["name"] = name
    render_trajectory(example, terminal.console)
    assert f"{name}  gpt-4o-mini  400 ms  100 → 50   ━" in terminal.text
    assert f"650 → 260  {12 * '━'}\n" in terminal.text


def test_agents_stand_under_the_step_that_called_them(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    tool = example["agent_steps"][0]["steps"][1]
    inner = {**tool, "id": "inner", "parent_id": tool["id"], "name": "forecaster"}
    call = {**example["agent_steps"][0]["steps"][0], "id": "call", "parent_id": "inner"}
    example["agent_steps"][0]["steps"].append({**inner, "type": "agent"})
    metrics = example["root_step"]["metrics_info"]
    example["agent_steps"].append({**inner, "metrics_info": metrics, "steps": [call]})
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert [line[:24].rstrip() for line in terminal.text.splitlines()[7:11]] == [
        "├─ ■ weather",
        "│  └─ ◆ forecaster",
        "│     └─ ● ChatOpenAI  g",
        "├─ ● ChatOpenAI  gpt-4o-",
    ]


def test_errors_stand_below_their_step_and_in_the_totals(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    weather, search = (example["agent_steps"][0]["steps"][at] for at in (1, 3))
    weather["basic_info"]["error"] = {"code": 503, "msg": "try\nlater " + "x" * 200}
    search["basic_info"]["error"] = {"code": -1, "msg": ""}
    example["root_step"]["metrics_info"]["tool_errors"] = {"503": ["a"], "-1": ["b"]}
    terminal = screen(columns=60)
    render_trajectory(example, terminal.console)
    assert "│    ✗ 503 try later xxx" in terminal.text
    assert "│    ✗ failed\n" in terminal.text
    assert "2 tool runs in 1.30 s (2 failed)" in terminal.text
    assert max(map(len, terminal.text.splitlines())) <= 60


def test_calls_that_were_made_again_and_again_are_counted(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    owner = example["agent_steps"][0]
    tool = next(step for step in owner["steps"] if step["type"] == "tool")
    calls = [{**tool, "id": f"{at:016x}", "name": "look", "input": "{}"} for at in range(7)]
    owner["steps"] += [*calls[:3], {**calls[3], "input": '{"q":1}'}, *calls[4:]]
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert "\n! the same call 6 times: look {}\n" in terminal.text
    assert terminal.text.count("the same call") == 1


def test_warnings_and_duplicates_are_said(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    example["extraction"]["warnings"] = ["two roots"]
    example["extraction"]["duplicate_of"] = {"trace_id": "f" * 32, "span_id": "a" * 16}
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert "\n! two roots\n! reports again what trace fff" in terminal.text


def test_content_can_do_nothing_but_be_read(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    evil = "[bold red]x[/] \x1b]0;pwned\x07\x1b[2J \u202egnp.exe \x9b31m :smile:"
    example["root_step"].update(name=evil, input=evil, output=evil)
    for step in example["agent_steps"][0]["steps"]:
        step.update(name=evil, metadata={"model": evil})
        step["basic_info"]["error"] = {"code": 1, "msg": evil}
    example["extraction"].update(warnings=[evil], dialects=[evil], project=evil)
    terminal = screen(columns=400)
    render_trajectory(example, terminal.console)
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(terminal.raw)
    assert r"[bold red]x[/] \x1b]0;pwned\x07\x1b[2J \u202egnp.exe \x9b31m :smile:" in terminal.text


def test_a_long_run_is_cut_and_says_so(example: dict[str, Any], screen: Callable[..., Any]) -> None:
    step = example["agent_steps"][0]["steps"][1]
    example["agent_steps"][0]["steps"] = [{**step, "id": str(at)} for at in range(3000)]
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert terminal.text.count("■ weather") == 1999
    assert "… and more steps; --json has all of them" in terminal.text


documents = st.fixed_dictionaries(
    {
        "id": st.text(max_size=5),
        "agent_steps": st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.sampled_from("abcd"),
                    "parent_id": st.sampled_from("abcde"),
                    "name": st.text(max_size=8),
                    "steps": st.lists(
                        st.fixed_dictionaries(
                            {
                                "id": st.sampled_from("abcdefgh"),
                                "parent_id": st.sampled_from("abcdefgh"),
                                "type": st.sampled_from(["agent", "model", "tool", "graph", "?"]),
                                "name": st.text(max_size=8),
                            }
                        ),
                        max_size=4,
                    ),
                }
            ),
            max_size=4,
        ),
    }
)


@given(document=documents, columns=st.integers(20, 140))
@settings(deadline=None, max_examples=examples(80), suppress_health_check=list(HealthCheck))
def test_any_ids_give_a_tree_with_every_step_once(
    screen: Callable[..., Any], document: dict[str, Any], columns: int
) -> None:
    terminal = screen(columns=columns)
    render_trajectory(document, terminal.console)
    ids = {a["id"] for a in document["agent_steps"]}
    ids |= {s["id"] for a in document["agent_steps"] for s in a["steps"]}
    drawn = terminal.text.split("\n\n")[1].splitlines()
    assert len(drawn) == len(ids) + 1


def test_the_span_table_says_what_became_of_each(screen: Callable[..., Any]) -> None:
    spans = [
        {"span_id": "a" * 16, "kind": "agent", "name": "n", "step_id": "a" * 16, "rule": "r.one"},
        {"span_id": "b" * 16, "kind": "other", "name": "\x1b", "step_id": None, "rule": "r.two"},
        {"span_id": "c" * 16, "kind": "model", "name": "m", "step_id": "a" * 16, "rule": "r.three"},
    ]
    terminal = screen()
    render_spans({"spans": spans}, terminal.console)
    assert terminal.text.splitlines() == [
        "span              kind     name  decided by  counts under",
        "aaaaaaaaaaaaaaaa  ◆ agent  n     r.one       itself",
        "bbbbbbbbbbbbbbbb  ○ other  \\x1b  r.two       noise",
        "cccccccccccccccc  ● model  m     r.three     aaaaaaaaaaaaaaaa",
    ]


def test_a_long_span_table_is_cut_and_says_so(screen: Callable[..., Any]) -> None:
    terminal = screen()
    span = {"span_id": "s", "kind": "other", "name": "n", "step_id": None, "rule": "r"}
    render_spans({"spans": [span] * 2345}, terminal.console)
    assert "… 345 more spans; --json has all of them" in terminal.text


def test_the_totals_tell_what_the_run_cost(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    for cost, told in (
        ({"usd": 0.0125, "known_usd": 0.0125}, "260 out · $0.013\n"),
        ({"usd": None, "known_usd": 3.5}, "260 out · more than $3.50\n"),
        ({"usd": None, "known_usd": None}, "260 out\n"),
    ):
        example["extraction"]["cost"] = cost
        terminal = screen()
        render_trajectory(example, terminal.console)
        assert terminal.text.endswith(told)


def test_a_cancelled_run_and_what_was_stopped_in_it_are_said(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    example["extraction"]["outcome"] = "cancelled"
    example["agent_steps"][0]["steps"][1]["metadata"]["outcome"] = "cancelled"
    terminal = screen()
    render_trajectory(example, terminal.console)
    assert "cancelled, stopped from outside" in terminal.text
    assert "├─ ■ weather  ⊘ cancelled" in terminal.text


def test_a_run_that_waits_says_so_until_another_goes_on(
    example: dict[str, Any], screen: Callable[..., Any]
) -> None:
    pause = {"where": "1", "step_id": "1", "question": "Wire 500 EUR?"}
    example["extraction"] |= {"outcome": "paused", "pauses": [pause]}
    waiting, resumed = screen(), screen()
    render_trajectory(example, waiting.console)
    assert "paused, waits for a person" in waiting.text
    assert "\nwaits for Wire 500 EUR?\n" in waiting.text
    example["extraction"] |= {"resumes": "a" * 32, "resumed_by": "b" * 32}
    render_trajectory(example, resumed.console)
    assert "paused, then resumed" in resumed.text
    told = f"\nwaited    Wire 500 EUR?\nresumes   {'a' * 32}\nresumed   by {'b' * 32}\n"
    assert told in resumed.text
