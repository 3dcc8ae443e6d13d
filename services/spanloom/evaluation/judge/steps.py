"""The steps of a run as numbered lines: who did what, which call a result answers, what was said.

A model's call has a line for each message that it heard first and one for its answer; each tool run
has its result with the id of its call, also where the model that asked for it has no output.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.formats.conversation import conversation, text_of
from spanloom.core.formats.json_bytes import dump
from spanloom.core.values.attributes import json_value
from spanloom.evaluation.judge.texts import without_base64

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import Document, DocumentAgent, DocumentStep
    from spanloom.core.formats.conversation import Turn

_CONVERSING = frozenset({"model", "tool"})


class Line(NamedTuple):
    """A line: what may not be cut, and a text that may."""

    number: int
    """Of its step, from 1."""
    head: str
    text: str
    is_result: bool = False


class Told(NamedTuple):
    """The steps of a run."""

    lines: Sequence[Line]
    step_ids: Sequence[str]
    """Of number 1, 2, …"""
    left_out: int
    """Characters of files in the texts, which nobody reads."""

    @property
    def chars(self) -> int:
        """Characters of all texts, files included."""
        return sum(len(line.text) for line in self.lines) + self.left_out


def tell_steps(document: Document) -> Told:
    """Return the steps of all agents, by their starts."""
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
    return Told(lines, [step.id for _, step in timed], left_out)


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
    given = named.get("arguments") or ""
    shown = _plain(given) if isinstance(given, str) else str(json_value(str(given)))
    return f"call {_word(call.get('id'))} {_word(named.get('name'))}({without_base64(shown)})"


def _plain(arguments: str) -> str:
    """Return arguments with their characters as they are, where the sender wrote escapes."""
    if "\\u" not in arguments:
        return arguments
    value = json_value(arguments)
    return dump(value).decode(errors="replace") if isinstance(value, dict | list) else arguments


def _state(step: DocumentStep) -> str:
    """Return how a step failed, else nothing."""
    return "" if step.error is None else f"error {_word(step.error.get('code'))} "


def _word(value: object) -> str:
    """Return a name on one line; one without a name is ``-``."""
    return " ".join(str(value if value is not None else "").split())[:200] or "-"
