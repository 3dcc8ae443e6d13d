"""Prints steps of a run: one step in full, and the outline of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import DocumentStep
from spanloom.core.showing.values import duration, printable, shortened
from spanloom.terminal.output import print_indented
from spanloom.terminal.sayings import message_lines, read_messages, text_lines
from spanloom.terminal.transcript import error_lines, heading
from spanloom.terminal.values import TYPE_STYLES, cut, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console


MAX_FACT = 400
"""Most characters of each metadata value of a step."""


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
