"""Writes the steps of a run as numbered lines: agents, calls, results and messages.

A model call has a line for each new message of its input and one for its answer; each tool run has
its result with the id of its call, even if the model that requested it has no output.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.formats.conversation import conversation
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.turns import text_of
from spanloom.core.values.attributes import json_value
from spanloom.evaluation.judge.texts import without_base64

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.turns import Turn

_CONVERSING = frozenset({"model", "tool"})


class Line(NamedTuple):
    """A line: a head that is not cut, and a text that may be cut."""

    number: int
    """The number of the step, from 1."""
    head: str
    text: str
    is_result: bool = False


class StepLines(NamedTuple):
    """The steps of a run as lines."""

    lines: Sequence[Line]
    step_ids: Sequence[str]
    """Ids of the steps with the numbers 1, 2, …"""
    left_out: int
    """Characters of Base64 files that were removed from the texts."""

    @property
    def chars(self) -> int:
        """The number of characters of all texts, including removed files."""
        return sum(len(line.text) for line in self.lines) + self.left_out


def step_lines(document: Document) -> StepLines:
    """Return the steps of all agents as lines, sorted by start."""
    timed: list[tuple[int, DocumentStep]] = []
    turns: dict[str, list[Turn]] = {}
    for agent in document.agents:
        timed += [(step.started_at, step) for step in agent.steps]
        _add_turns(agent, turns)
    timed.sort(key=itemgetter(0))
    lines: list[Line] = []
    left_out = 0
    for number, (_, step) in enumerate(timed, 1):
        for line in _lines_of(step, number, turns.pop(step.id, ())):
            text = without_base64(line.text)
            left_out += max(0, len(line.text) - len(text))
            lines.append(line._replace(text=text))
    return StepLines(lines, [step.id for _, step in timed], left_out)


def _add_turns(agent: DocumentAgent, turns: dict[str, list[Turn]]) -> None:
    for turn in conversation(agent):
        turns.setdefault(turn.step_id, []).append(turn)


def _lines_of(step: DocumentStep, number: int, turns: Sequence[Turn]) -> Iterator[Line]:
    place = f"{number} | {_word(step.agent_name)} | {_word(step.type)} | {_word(step.name)} |"
    if step.type not in _CONVERSING:
        yield Line(number, f"{place} {_state(step)}input", step.input)
        yield Line(number, f"{place} {_state(step)}output", step.output)
        return
    for turn in turns:
        yield _line_of(turn, place, number, step)
    if step.error is not None and not any(turn.message["role"] == "tool" for turn in turns):
        yield Line(number, f"{place} {_state(step)}".rstrip(), step.error_message)


def _line_of(turn: Turn, place: str, number: int, step: DocumentStep) -> Line:
    message = turn.message
    role, text = message["role"], text_of(message.get("content"))
    if role == "tool":
        call = _word(message.get("tool_call_id"))
        state = _state(step) if step.type == "tool" else ""
        return Line(number, f"{place} result {call} {state or 'ok '}".rstrip(), text, True)
    if role != "assistant":
        return Line(number, f"{place} {_word(role)}", text)
    calls = [_call(one) for one in message.get("tool_calls", ())]
    return Line(number, " ".join([place, *calls, "text" if text else ""]).rstrip(), text)


def _call(call: Mapping[str, object]) -> str:
    function = call.get("function")
    named = function if isinstance(function, dict) else {}
    arguments = named.get("arguments") or ""
    text = _plain(arguments) if isinstance(arguments, str) else str(json_value(str(arguments)))
    return f"call {_word(call.get('id'))} {_word(named.get('name'))}({without_base64(text)})"


def _plain(arguments: str) -> str:
    """Return arguments as JSON, with characters in place of their Unicode escapes."""
    if "\\u" not in arguments:
        return arguments
    value = json_value(arguments)
    return dump(value).decode(errors="replace") if isinstance(value, dict | list) else arguments


def _state(step: DocumentStep) -> str:
    """Return ``error CODE`` for a failed step, otherwise an empty text."""
    return "" if step.error is None else f"error {_word(step.error.get('code'))} "


def _word(value: object) -> str:
    """Return a name on one line; ``-`` if it is empty."""
    return " ".join(str(value if value is not None else "").split())[:200] or "-"
