"""A run as a transcript: what each agent was told and said, each call beside its result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.showing.values import duration, printable, whole
from spanloom.terminal.output import print_indented
from spanloom.terminal.sayings import (
    ROLE_STYLES,
    calls_of,
    content_text,
    failure_texts,
    failures_by_step,
    message_lines,
    read_messages,
    text_lines,
)
from spanloom.terminal.values import OUTCOME_STYLES, TYPE_STYLES, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

    from spanloom.terminal.sayings import Failure, Message
    from spanloom.terminal.values import Signs

Step = dict[str, Any]  # as the document has it


@dataclass(slots=True)
class _Told:
    """What a transcript has shown of an agent's conversation."""

    messages: Counter[bytes] = field(default_factory=Counter)
    results: int = 0
    """How many tools and agents stand where they ran, since the last model call."""


def render_transcript(document: dict[str, Any], console: Console, *, is_full: bool) -> None:
    """Print what was said in a run, agent by agent, in the order in which they began.

    Of each model call only what is new is shown: a request repeats all that was said before.
    """
    signs, failures = signs_of(console), failures_by_step(document)
    agents = document.get("agent_steps") or []
    for number, agent in enumerate(agents):
        if number:
            console.print()
        step = {**agent, "type": _type_of(agent, document)}
        for line in _agent(step, failures, signs, is_full=is_full):
            print_indented(line, console)
    if not agents:
        console.print("Nothing was said: no agent, model or tool took part.")


def heading(step: Step, signs: Signs) -> Text:
    """Return what a step is: its sign and name, its type and how long it ran."""
    kind = str(step.get("type") or "other")
    took = duration(whole((step.get("basic_info") or {}).get("duration")))
    sign = signs.types.get(kind, signs.types["other"])
    name = printable(str(step.get("name") or "")) or "(no name)"
    return Text.assemble(
        (f"{sign} {name}", TYPE_STYLES.get(kind, "")), (f"  {kind}, {took}", "dim")
    )


def error_lines(
    step: Step, failures: Mapping[str, Sequence[Failure]], signs: Signs
) -> Iterator[Text]:
    """Yield what failed in a step."""
    for text in failure_texts(step, failures.get(str(step.get("id")), ())):
        yield Text(f"  {signs.error} {printable(text)}", "red")


def _type_of(agent: Step, document: dict[str, Any]) -> str:
    """Return what owns these steps: an agent, but for the root, which may be anything."""
    is_root = agent.get("id") == (document.get("root_step") or {}).get("id")
    root_type = (document.get("extraction") or {}).get("root_type")
    return str(root_type) if is_root and root_type else "agent"


def _agent(
    agent: Step, failures: Mapping[str, Sequence[Failure]], signs: Signs, *, is_full: bool
) -> Iterator[Text]:
    yield heading(agent, signs)
    yield from error_lines(agent, failures, signs)
    told = _Told()
    steps = agent.get("steps") or []
    for step in steps:
        if step["type"] == "model":
            yield from _call(step, told, is_full=is_full)
        else:
            told.results += 1
            yield from _result(step, signs, is_full=is_full)
        yield from error_lines(step, failures, signs)
        yield from _waiting(step, signs)
    if not any(map(_question, steps)):
        yield from _waiting(agent, signs)


def _call(step: Step, told: _Told, *, is_full: bool) -> Iterator[Text]:
    """Yield what is new in a call's request, and its answer; remember both."""
    asked, answered = (_messages(step, *way) for way in _WAYS)
    for message in (*_new(asked, told), *answered):
        yield from message_lines(message, is_full=is_full)
    told.messages.update(map(_mark, answered))
    if not asked and not answered:
        yield Text("assistant", ROLE_STYLES["assistant"])
        yield Text("  its texts were not sent", "dim italic")


_WAYS = (("input", "user"), ("output", "assistant"))


def _messages(step: Step, way: str, role: str) -> Sequence[Message]:
    text = str(step.get(way) or "")
    return read_messages(text) or ([{"role": role, "content": text}] if text else [])


def _new(messages: Sequence[Message], told: _Told) -> Sequence[Message]:
    """Return what was not said before; what is said twice in one request was said twice.

    The last results of tools are left out, as many as stand where they ran.
    """
    seen, new = Counter[bytes](), []
    for message in messages:
        mark = _mark(message)
        seen[mark] += 1
        if seen[mark] > told.messages[mark]:
            told.messages[mark] += 1
            new.append(message)
    results = [at for at, message in enumerate(new) if message.get("role") == "tool"]
    shown = set(results[-told.results :] if told.results else ())
    told.results = 0
    return [message for at, message in enumerate(new) if at not in shown]


def _mark(message: Message) -> bytes:
    """Return what makes two messages one: who speaks, what is said, and what is asked for."""
    asked = [
        f"{call.get('name')} {''.join(str(call.get('arguments')).split())}"
        for call in calls_of(message)
    ]
    said = content_text(message.get("content"))
    return "\0".join((str(message.get("role")), said, *asked)).encode("utf-8", "replace")


def _result(step: Step, signs: Signs, *, is_full: bool) -> Iterator[Text]:
    """Yield what a tool gave, or that another agent went on, whose words stand apart."""
    name = printable(str(step.get("name")))
    if step["type"] != "tool":
        yield Text(f"  {signs.arrow} {name}", TYPE_STYLES["agent"])
        return
    yield Text.assemble(("tool", ROLE_STYLES["tool"]), (f" {name}", "dim"))
    yield from text_lines(str(step.get("output") or ""), is_full=is_full)


def _waiting(step: Step, signs: Signs) -> Iterator[Text]:
    """Yield what a paused step asks of a person."""
    if question := _question(step):
        asked = f"  {signs.outcomes['paused']} waits for a person: {printable(question)}"
        yield Text(asked, OUTCOME_STYLES["paused"])


def _question(step: Step) -> str:
    return str((step.get("metadata") or {}).get("question") or "")
