"""Prints the contents of a run: a transcript of its messages, one full step, or the outline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import Document, DocumentStep
from spanloom.core.showing.values import duration, printable, shortened
from spanloom.terminal.message_lines import (
    ROLE_STYLES,
    calls_of,
    content_text,
    failure_texts,
    failures_by_step,
    message_lines,
    read_messages,
    text_lines,
)
from spanloom.terminal.output import OUTCOME_STYLES, TYPE_STYLES, cut, print_indented, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console

    from spanloom.core.document import DocumentAgent, DocumentFailure
    from spanloom.terminal.message_lines import Message
    from spanloom.terminal.output import Signs


@dataclass(slots=True)
class _Printed:
    """The messages of an agent's conversation that were already printed."""

    messages: Counter[bytes] = field(default_factory=Counter)
    results: int = 0
    """The number of tool and agent runs printed since the last model call."""


def render_transcript(document: dict[str, Any], console: Console, *, is_full: bool) -> None:
    """Print the messages of a run, agent by agent, in the order in which they began.

    Only the new messages of each model call are printed, because a request repeats all earlier
    messages.
    """
    signs, failures = signs_of(console), failures_by_step(document)
    agents = list(Document(document).agents)
    for number, agent in enumerate(agents):
        if number:
            console.print()
        agent.type = _type_of(agent, document)
        for line in _agent(agent, failures, signs, is_full=is_full):
            print_indented(line, console)
    if not agents:
        console.print("No messages: no agent, model or tool took part.")


def heading(step: DocumentStep, signs: Signs) -> Text:
    """Return a step's sign, name, type and duration as one line."""
    kind = step.type or "other"
    took = duration(step.duration)
    sign = signs.types.get(kind, signs.types["other"])
    name = printable(str(step.name)) or "(no name)"
    return Text.assemble(
        (f"{sign} {name}", TYPE_STYLES.get(kind, "")), (f"  {kind}, {took}", "dim")
    )


def error_lines(
    step: DocumentStep, failures: Mapping[str, Sequence[DocumentFailure]], signs: Signs
) -> Iterator[Text]:
    """Yield the failures of a step, one line each."""
    for text in failure_texts(step, failures.get(step.id, ())):
        yield Text(f"  {signs.error} {printable(text)}", "red")


def _type_of(agent: DocumentAgent, document: dict[str, Any]) -> str:
    """Return the type to print for an agent: ``agent``, or its own type if it is the root."""
    view = Document(document)
    return view.root_type if agent.id == view.root.id and view.root_type else "agent"


def _agent(
    agent: DocumentAgent,
    failures: Mapping[str, Sequence[DocumentFailure]],
    signs: Signs,
    *,
    is_full: bool,
) -> Iterator[Text]:
    yield heading(agent, signs)
    yield from error_lines(agent, failures, signs)
    printed = _Printed()
    steps = list(agent.steps)
    for step in steps:
        if step.type == "model":
            yield from _call(step, printed, is_full=is_full)
        else:
            printed.results += 1
            yield from _result(step, signs, is_full=is_full)
        yield from error_lines(step, failures, signs)
        yield from _waiting(step, signs)
    if not any(map(_question, steps)):
        yield from _waiting(agent, signs)


def _call(step: DocumentStep, printed: _Printed, *, is_full: bool) -> Iterator[Text]:
    """Yield the new messages of a call's request, and its response; record both as printed."""
    request, response = _messages(step.input, "user"), _messages(step.output, "assistant")
    for message in (*_new(request, printed), *response):
        yield from message_lines(message, is_full=is_full)
    printed.messages.update(map(_key, response))
    if not request and not response:
        yield Text("assistant", ROLE_STYLES["assistant"])
        yield Text("  its texts were not sent", "dim italic")


def _messages(text: str, role: str) -> Sequence[Message]:
    return read_messages(text) or ([{"role": role, "content": text}] if text else [])


def _new(messages: Sequence[Message], printed: _Printed) -> Sequence[Message]:
    """Return the messages not printed before; a message twice in one request counts twice.

    The last ``printed.results`` tool results are left out: they were printed with the tool runs.
    """
    seen, new = Counter[bytes](), []
    for message in messages:
        key = _key(message)
        seen[key] += 1
        if seen[key] > printed.messages[key]:
            printed.messages[key] += 1
            new.append(message)
    results = [at for at, message in enumerate(new) if message.get("role") == "tool"]
    shown = set(results[-printed.results :] if printed.results else ())
    printed.results = 0
    return [message for at, message in enumerate(new) if at not in shown]


def _key(message: Message) -> bytes:
    """Return a key that is equal for equal messages: role, content and tool calls."""
    calls = [
        f"{call.get('name')} {''.join(str(call.get('arguments')).split())}"
        for call in calls_of(message)
    ]
    content = content_text(message.get("content"))
    return "\0".join((str(message.get("role")), content, *calls)).encode("utf-8", "replace")


def _result(step: DocumentStep, signs: Signs, *, is_full: bool) -> Iterator[Text]:
    """Yield a tool's result; for an agent called as a step, its name, as it has its own section."""
    name = printable(step.name)
    if step.type != "tool":
        yield Text(f"  {signs.arrow} {name}", TYPE_STYLES["agent"])
        return
    yield Text.assemble(("tool", ROLE_STYLES["tool"]), (f" {name}", "dim"))
    yield from text_lines(step.output, is_full=is_full)


def _waiting(step: DocumentStep, signs: Signs) -> Iterator[Text]:
    """Yield the question to a person if the step is paused."""
    if question := _question(step):
        line = f"  {signs.outcomes['paused']} waits for a person: {printable(question)}"
        yield Text(line, OUTCOME_STYLES["paused"])


def _question(step: DocumentStep) -> str:
    return str(step.metadata.get("question") or "")


MAX_FACT = 400
"""Maximum characters of each metadata value of a step."""


def render_step(step_json: dict[str, Any], console: Console, *, is_full: bool) -> None:
    """Print one step: heading, messages or arguments and result, errors and metadata."""
    signs, step = signs_of(console), DocumentStep(step_json)
    facts = {**step.model_info, **step.metadata}
    for line in (
        heading(step, signs),
        *_texts(step, is_full=is_full),
        *error_lines(step, {}, signs),
        *(Text.assemble((f"  {printable(k)}: ", "dim"), _cut(facts[k])) for k in sorted(facts)),
    ):
        print_indented(line, console)


def _texts(step: DocumentStep, *, is_full: bool) -> Iterator[Text]:
    """Yield input and output, message by message if they contain messages."""
    for way, text in (("input", step.input), ("output", step.output)):
        messages = read_messages(text) if step.type == "model" else ()
        yield Text(way if text else f"no {way}", "dim underline" if text else "dim")
        for message in messages:
            yield from message_lines(message, is_full=is_full)
        if not messages:
            yield from text_lines(text, is_full=is_full)


def _cut(value: object) -> str:
    return shortened(str(value), MAX_FACT)


def render_outline(lines: Sequence[dict[str, Any]], console: Console) -> None:
    """Print lines of ``core.showing.step_outline``: numbers, type, name, duration and agent."""
    signs = signs_of(console)
    places = [_places(line) for line in lines]
    cells = max(map(len, places), default=0)
    for line, place in zip(lines, places, strict=True):
        kind = line["type"]
        sign = Text(f"{signs.types.get(kind, signs.dot)} ", TYPE_STYLES.get(kind, ""))
        times = f"  {line['times']} times" if "times" in line else ""
        shown = Text.assemble(
            (f"{place:>{cells}}  ", "dim"),
            sign,
            (printable(line["name"]), "bold"),
            times,
            f"  {duration(line['ms'])}",
            (f"  {printable(line['agent'])}", "dim"),
            (f"  {signs.error} {printable(line['error'])}" if "error" in line else "", "red"),
        )
        console.print(cut(shown, console.width))


def _places(line: dict[str, Any]) -> str:
    return f"{line['from']}-{line['to']}" if "to" in line else str(line["from"])
