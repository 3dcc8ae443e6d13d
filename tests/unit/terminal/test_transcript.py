"""``spanloom show`` prints the messages of a run, one step, or the spans as they were sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import orjson
import pytest
from tests.unit.terminal.conftest import SENT_ID, TRACE

from spanloom.cli.arguments import find_step_id
from spanloom.cli.show import show_command
from spanloom.cli.spans import spans_command
from spanloom.terminal.message_lines import FOLD_CHARS, content_text
from spanloom.terminal.transcript import render_step, render_transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import CliRunner

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Oslo?"}]
ANSWER = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT = {"role": "tool", "content": "sunny", "tool_call_id": "c1"}


def step(kind: str, told: object, answered: object, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{kind}-step",
        "type": kind,
        "name": "weather" if kind == "tool" else "ChatOpenAI",
        "input": told if isinstance(told, str) else json.dumps(told),
        "output": answered if isinstance(answered, str) else json.dumps(answered),
        "metadata": {"rule": "tests"},
        "basic_info": {"started_at": "0", "duration": "5"},
        **more,
    }


def run_of(*steps: dict[str, Any]) -> dict[str, Any]:
    info = {"started_at": "0", "duration": "9"}
    return {"agent_steps": [{"id": "a", "name": "guide", "basic_info": info, "steps": list(steps)}]}


def test_each_message_is_said_once_and_results_stand_beside_their_calls(
    screen: Callable[..., Any],
) -> None:
    terminal = screen()
    run = run_of(
        step("model", ASKED, [ANSWER]),
        step("tool", "{}", "sunny"),
        step("model", [*ASKED, ANSWER, RESULT], [{"role": "assistant", "content": "Sunny."}]),
    )
    render_transcript(run, terminal.console, is_full=False)
    assert terminal.text.splitlines() == [
        "◆ guide  agent, 9 ms",
        "system",
        "  Be brief.",
        "user",
        "  Oslo?",
        "assistant",
        "  calls weather({})",
        "tool weather",
        "  sunny",
        "assistant",
        "  Sunny.",
    ]


def test_a_tool_asked_for_twice_is_shown_twice(screen: Callable[..., Any]) -> None:
    terminal = screen()
    answers = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "w", "arguments": a}}],
        }
        for a in ('{"city": "Oslo"}', '{"city": "Rome"}')
    ]
    again = {"role": "user", "content": "yes"}
    run = run_of(
        step("model", [again], [answers[0]]),
        step("model", [again, {**answers[0], "name": "guide"}, RESULT], [answers[1]]),
        step("model", [again, *answers, again], [{"role": "assistant", "content": "yes"}]),
    )
    render_transcript(run, terminal.console, is_full=False)
    said = [line.strip() for line in terminal.text.splitlines()[1:]]
    assert [line for line in said if line not in ("user", "assistant")] == [
        "yes",
        'calls w({"city": "Oslo"})',
        "tool",
        "sunny",
        'calls w({"city": "Rome"})',
        "yes",
        "yes",
    ]


def test_results_that_no_step_shows_are_said_where_the_model_was_told(
    screen: Callable[..., Any],
) -> None:
    """An application's own loop records model calls, but no spans of its tools."""
    terminal = screen()
    second = {"role": "tool", "content": "full", "tool_call_id": "c2"}
    run = run_of(
        step("model", ASKED, [ANSWER]),
        step("model", [*ASKED, ANSWER, RESULT], [ANSWER]),
        step("tool", "{}", "full"),
        step("model", [*ASKED, ANSWER, RESULT, ANSWER, second], "done"),
    )
    render_transcript(run, terminal.console, is_full=False)
    assert terminal.text.count("tool weather\n  sunny") == 1, "named by its call"
    assert terminal.text.count("full") == 1


@pytest.mark.parametrize(("kind", "sign"), [("other", "○"), ("graph", "▲"), ("agent", "◆")])
def test_a_root_is_drawn_as_what_it_is(screen: Callable[..., Any], kind: str, sign: str) -> None:
    terminal = screen()
    run = {
        **run_of(step("model", ASKED, [ANSWER])),
        "root_step": {"id": "a"},
        "extraction": {"root_type": kind},
    }
    render_transcript(run, terminal.console, is_full=False)
    assert terminal.text.startswith(f"{sign} guide  {kind}, 9 ms\n")


def test_an_agent_below_the_root_is_an_agent(screen: Callable[..., Any]) -> None:
    terminal = screen()
    run = {**run_of(), "root_step": {"id": "b"}, "extraction": {"root_type": "graph"}}
    render_transcript(run, terminal.console, is_full=False)
    assert terminal.text == "◆ guide  agent, 9 ms\n"


def test_what_was_not_sent_is_said_to_be_missing(screen: Callable[..., Any]) -> None:
    terminal = screen()
    unsaid = [{"role": "assistant", "content": ""}]
    run = run_of(step("model", "", ""), step("model", ASKED, unsaid))
    render_transcript(run, terminal.console, is_full=False)
    assert "its texts were not sent" in terminal.text
    assert terminal.text.endswith("assistant\n  (empty)\n")
    nothing = screen()
    render_transcript({"agent_steps": []}, nothing.console, is_full=False)
    assert nothing.text.startswith("No messages")


def test_who_waits_for_a_person_says_so_once(screen: Callable[..., Any]) -> None:
    question = {"metadata": {"question": "May I?"}}
    on_tool, on_agent = screen(), screen()
    run = run_of(step("tool", "{}", "", **question))
    run["agent_steps"][0] |= question
    render_transcript(run, on_tool.console, is_full=False)
    assert on_tool.text.splitlines()[1:] == ["tool weather", "  … waits for a person: May I?"]
    run["agent_steps"][0]["steps"] = []
    render_transcript(run, on_agent.console, is_full=False)
    assert on_agent.text.count("waits for a person: May I?") == 1


def test_wrapped_lines_keep_their_indent_and_end_where_they_end(
    screen: Callable[..., Any],
) -> None:
    terminal = screen(30)
    run = run_of(step("model", [{"role": "user", "content": "some words " * 9}], "ok"))
    render_transcript(run, terminal.console, is_full=False)
    said = terminal.raw.splitlines()[2:-2]
    assert len(said) > 3
    assert all(line.startswith("  ") and line == line.rstrip() for line in said)


def test_long_texts_are_folded_with_their_length_unless_all_is_asked_for(
    screen: Callable[..., Any],
) -> None:
    long = "word " * 400
    run = run_of(step("model", [{"role": "user", "content": long}], "ok"))
    folded, full = screen(), screen()
    render_transcript(run, folded.console, is_full=False)
    render_transcript(run, full.console, is_full=True)
    assert "2,000 characters, --full shows all" in folded.text
    assert folded.text.count("word") <= FOLD_CHARS // 5
    assert full.text.count("word") == 400


def test_media_are_named_and_not_printed() -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 5000}"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,A"},
        },
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    ]
    assert content_text(parts).splitlines() == [
        "What is this?",
        "[image image/png, 5,022 characters]",
        "[file a.pdf, application/pdf, 29 characters]",
        "[image https://example.org/a.png]",
    ]


@pytest.mark.parametrize(
    "told",
    [
        "",
        "[",
        "[1]",
        "plain",
        '[{"role":7,"content":{}}]',
        '[{"role":"user","tool_calls":[1,{},{"function":5}]}]',
    ],
)
def test_nothing_that_was_said_breaks_the_transcript(screen: Callable[..., Any], told: str) -> None:
    terminal = screen()
    run = run_of(step("model", told, told), step("tool", told, told))
    render_transcript(run, terminal.console, is_full=False)
    render_step(step("model", told, told), terminal.console, is_full=False)
    assert "guide" in terminal.text


def test_control_characters_are_shown_and_not_obeyed(screen: Callable[..., Any]) -> None:
    terminal = screen()
    evil = "\x1b[2J\u202e"
    run = run_of(step("model", [{"role": evil, "content": evil}], evil))
    render_transcript(run, terminal.console, is_full=False)
    assert "\x1b[2J" not in terminal.raw
    assert "\\x1b[2J" in terminal.raw


@pytest.mark.service
def test_show_messages_is_the_transcript(runner: CliRunner) -> None:
    result = runner.invoke(show_command, [TRACE, "--messages", "--output", "table"])
    assert result.exit_code == 0
    assert "tool weather" in result.output


@pytest.mark.service
@pytest.mark.parametrize("named", ["a1c4e1b7d2f30003", "model2", "model-2", "3"])
def test_show_of_a_step_by_its_id_or_its_number(runner: CliRunner, named: str) -> None:
    result = runner.invoke(show_command, [TRACE, named, "--output", "table"])
    assert result.exit_code == 0, result.output
    assert "ChatOpenAI" in result.output
    assert "Shanghai Museum booking" in result.output
    found = orjson.loads(runner.invoke(show_command, [TRACE, "--step", named]).output)
    assert found["id"] == "a1c4e1b7d2f30003"


NAMED = (("1", "search", ""), ("2", "Search", ""), ("3", "ask", "gpt-4o"), ("4", "", ""))


@pytest.mark.parametrize(
    ("named", "found"),
    [
        *(("search", "1"), ("Search", "2"), ("SEARCH2", "2"), ("Ask", "3")),
        *(("gpt-4o", "3"), ("team", "5")),
    ],
)
def test_a_step_is_named_by_its_name_its_model_or_as_the_root(named: str, found: str) -> None:
    steps = [step("model", "", "", id=i, name=n, metadata={"model": m}) for i, n, m in NAMED]
    document = run_of(*steps) | {"root_step": {"id": "5", "name": "team"}}
    client = Mock(document=lambda *_, **__: orjson.dumps(document))
    assert find_step_id(named, TRACE, client, None) == found


@pytest.mark.service
@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("model9", "the run has 3 steps of the type model"),
        ("model0", "the run has 3 steps of the type model"),
        ("third", "not the id or name of a step, nor like `model3`"),
    ],
)
def test_a_step_that_is_none_is_one_line(runner: CliRunner, named: str, said: str) -> None:
    result = runner.invoke(show_command, [TRACE, named])
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())


@pytest.mark.service
def test_spans_are_printed_as_they_were_sent(runner: CliRunner) -> None:
    for arguments in ([TRACE], [TRACE, SENT_ID]):
        result = runner.invoke(spans_command, [*arguments, "--output", "table"])
        assert result.exit_code == 0, result.output
        assert "city: Oslo" in result.output
        assert "days: 3" in result.output
        assert "x" * 500 not in "".join(result.output.split())
    full = runner.invoke(spans_command, [TRACE, "--full", "--output", "table"])
    assert "x" * 900 in "".join(full.output.split())


@pytest.mark.service
def test_spans_as_otlp_can_be_sent_elsewhere(runner: CliRunner) -> None:
    result = runner.invoke(spans_command, [TRACE, "--otlp"])
    [group] = orjson.loads(result.output)["resourceSpans"]
    assert group["scopeSpans"][0]["spans"][0]["spanId"] == SENT_ID


@pytest.mark.service
def test_a_span_that_is_not_there_is_one_line(runner: CliRunner) -> None:
    result = runner.invoke(spans_command, [TRACE, "f" * 16])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert "no span ffff" in result.output
