"""The comparison of two runs is shown on a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spanloom.api.runs.examples import DIFF
from spanloom.terminal.diff_view import render_diff

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE: dict[str, Any] = DIFF["content"]["application/json"]["example"]

EXAMPLE_SHOWN = """\
a  4bf92f3577b34da6a3ce929d0e0e4736  version 1 · settled · project default
b  90b325520ed0ce887b2ef6a21b7e346f  version 1 · settled · project default

~ 4 search tool                                    4 search tool
    · input.limit 5                                  · input.limit 10
+                                                  5 book tool
                                                     · input {"hotel":1}

12 same · 1 changed · 1 added
duration       4.50 s   9.40 s   +4.90 s (+109%)
model time     3.90 s   8.10 s   +4.20 s (+108%)
tool time      350 ms   900 ms   +550 ms (+157%)
input tokens   650      700      +50 (+8%)
output tokens  260      270      +10 (+4%)
cost           $0.0042  $0.0044  +$0.00020 (+5%)
agent steps    1        1
model steps    6        6
tool steps     6        7        +1 (+17%)
errors         0        1        +1"""


def _shown(screen: Callable[..., Any], diff: dict[str, Any], **how: Any) -> str:
    terminal = screen()
    render_diff(diff, terminal.console, **how)
    return "\n".join(line.rstrip() for line in terminal.text.splitlines())


def test_the_example_of_the_api(screen: Callable[..., Any]) -> None:
    assert _shown(screen, EXAMPLE) == EXAMPLE_SHOWN


def test_no_error_is_told_from_one_without_a_word(screen: Callable[..., Any]) -> None:
    change = {"field": "error", "a": None, "b": ""}
    shown = _shown(screen, {**EXAMPLE, "steps": [{**EXAMPLE["steps"][0], "changes": [change]}]})
    assert "error none " in shown
    assert "error (empty)" in shown


def test_each_side_has_its_own_name(screen: Callable[..., Any]) -> None:
    change = {"field": "name", "a": "planner", "b": "boss"}
    step = {**EXAMPLE["steps"][0], "op": "changed", "name": "boss", "changes": [change]}
    step |= {"a": 1, "a_id": "1", "b": 2, "b_id": "2"}
    shown = _shown(screen, {**EXAMPLE, "steps": [step]})
    assert re.search(r"~ 1 planner \w+ +2 boss ", shown)


def test_messages_are_words_and_long_texts_begin_before_their_difference(
    screen: Callable[..., Any],
) -> None:
    same = {"role": "user", "content": "hi"}
    prompts = [{"role": "system", "content": "x" * 900 + word} for word in ("new", "old")]
    change = {"field": "input", "a": [prompts[0], same], "b": [prompts[1], same]}
    shown = _shown(screen, {**EXAMPLE, "steps": [{**EXAMPLE["steps"][0], "changes": [change]}]})
    assert '"role"' not in shown
    assert "hi" not in shown
    assert "xnew" in shown
    assert "xold" in shown


def test_long_json_begins_before_its_difference(screen: Callable[..., Any]) -> None:
    values = [{"text": "x" * 900 + word} for word in ("new", "old")]
    change = {"field": "input", "a": values[0], "b": values[1]}
    shown = _shown(screen, {**EXAMPLE, "steps": [{**EXAMPLE["steps"][0], "changes": [change]}]})
    assert "xnew" in shown
    assert "xold" in shown


def test_a_summary_has_no_steps(screen: Callable[..., Any]) -> None:
    shown = _shown(screen, EXAMPLE, with_steps=False)
    assert "book" not in shown
    assert "1 changed" in shown


def test_hostile_text_is_only_read(screen: Callable[..., Any]) -> None:
    change = {"field": "input.\x1b[2J", "a": "\x1b]0;title\x07", "b": ["[bold]"]}
    row = {**EXAMPLE["steps"][0], "name": "\x1b[31mred", "changes": [change]}
    terminal = screen()
    render_diff({**EXAMPLE, "steps": [row]}, terminal.console)
    assert "\x1b" not in terminal.raw
    assert "[bold]" in terminal.text
