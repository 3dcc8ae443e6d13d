"""A run as a transcript: what each agent was told and said, each call beside its result."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.terminal.failures import failure_texts, failures_by_step
from spanloom.terminal.output import print_indented
from spanloom.terminal.sayings import (
    ROLE_STYLES,
    content_text,
    message_lines,
    read_messages,
    text_lines,
)
from spanloom.terminal.values import (
    TYPE_STYLES,
    duration,
    printable,
    shortened,
    signs_of,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

    from spanloom.terminal.failures import Failure
    from spanloom.terminal.sayings import Message
    from spanloom.terminal.values import Signs

Step = dict[str, Any]  # as the document has it


def render_transcript(document: dict[str, Any], console: Console, *, is_full: bool) -> None:
    """Print what was said in a run, agent by agent, in the order in which they began.

    Of each model call only what is new is shown: a request repeats all that was said before.
    """
    signs, failures = signs_of(console), failures_by_step(document)
    for number, agent in enumerate(document.get("agent_steps") or []):
        if number:
            console.print()
        for line in _agent(agent, failures, signs, is_full=is_full):
            print_indented(line, console)


def render_step(step: Step, console: Console, *, is_full: bool) -> None:
    """Print one step: what it is, its messages or arguments and result, and its metadata."""
    signs = signs_of(console)
    facts = {**(step.get("model_info") or {}), **(step.get("metadata") or {})}
    for line in (
        _heading(step, signs),
        *_texts(step, is_full=is_full),
        *_errors(step, {}, signs),
        *(Text.assemble((f"  {printable(k)}: ", "dim"), _cut(facts[k])) for k in sorted(facts)),
    ):
        print_indented(line, console)


def _cut(value: object) -> str:
    return shortened(str(value), 400)


def _agent(
    agent: Step, failures: Mapping[str, Sequence[Failure]], signs: Signs, *, is_full: bool
) -> Iterator[Text]:
    kind = "agent" if agent.get("parent_id") or not agent.get("type") else str(agent["type"])
    yield _heading({"type": kind, **agent}, signs)
    yield from _errors(agent, failures, signs)
    told = Counter[bytes]()
    for step in agent.get("steps") or []:
        if step["type"] == "model":
            yield from _call(step, told, is_full=is_full)
        elif step["type"] == "tool":
            yield Text.assemble(
                ("tool", ROLE_STYLES["tool"]), (f" {printable(str(step.get('name')))}", "dim")
            )
            yield from text_lines(str(step.get("output") or ""), is_full=is_full)
        else:
            yield Text(f"  {signs.arrow} {printable(str(step.get('name')))}", TYPE_STYLES["agent"])
        yield from _errors(step, failures, signs)


def _call(step: Step, told: Counter[bytes], *, is_full: bool) -> Iterator[Text]:
    """Yield what is new in a call's request, and its answer; remember both."""
    for way, role in (("input", "user"), ("output", "assistant")):
        text = str(step.get(way) or "")
        said = read_messages(text) or ([{"role": role, "content": text}] if text else [])
        for message in _new(said, told) if way == "input" else _noted(said, told):
            yield from message_lines(message, is_full=is_full)


def _new(messages: Sequence[Message], told: Counter[bytes]) -> Iterator[Message]:
    """Yield what was not said before; what is said twice in one request was said twice."""
    has_results = bool(told)  # of the tools, which stand where they ran
    seen = Counter[bytes]()
    for message in messages:
        mark = _mark(message)
        seen[mark] += 1
        if seen[mark] > told[mark]:
            told[mark] += 1
            if message.get("role") != "tool" or not has_results:
                yield message


def _noted(messages: Sequence[Message], told: Counter[bytes]) -> Sequence[Message]:
    told.update(map(_mark, messages))
    return messages


def _mark(message: Message) -> bytes:
    """Return what makes two messages one: who speaks, what is said, and what is asked for."""
    calls = message.get("tool_calls") or []
    functions = [call.get("function") or {} for call in calls if isinstance(call, dict)]
    asked = [f"{f.get('name')} {''.join(str(f.get('arguments')).split())}" for f in functions]
    said = content_text(message.get("content"))
    return "\0".join((str(message.get("role")), said, *asked)).encode("utf-8", "replace")


def _texts(step: Step, *, is_full: bool) -> Iterator[Text]:
    """Yield input and output, message by message where they hold messages."""
    for way in ("input", "output"):
        text = str(step.get(way) or "")
        messages = read_messages(text) if step.get("type") == "model" else ()
        yield Text(way if text else f"no {way}", "dim underline" if text else "dim")
        for message in messages:
            yield from message_lines(message, is_full=is_full)
        if not messages:
            yield from text_lines(text, is_full=is_full)


def _heading(step: Step, signs: Signs) -> Text:
    kind = str(step.get("type") or "other")
    took = duration(whole((step.get("basic_info") or {}).get("duration")))
    sign = signs.types.get(kind, signs.types["other"])
    name = printable(str(step.get("name") or "")) or "(no name)"
    return Text.assemble(
        (f"{sign} {name}", TYPE_STYLES.get(kind, "")), (f"  {kind}, {took}", "dim")
    )


def _errors(step: Step, failures: Mapping[str, Sequence[Failure]], signs: Signs) -> Iterator[Text]:
    for text in failure_texts(step, failures.get(str(step.get("id")), ())):
        yield Text(f"  {signs.error} {printable(text)}", "red")
