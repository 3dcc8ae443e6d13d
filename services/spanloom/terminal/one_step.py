"""One step of a run, whole: its messages or arguments and result, and all that is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import DocumentStep
from spanloom.core.showing.values import printable, shortened
from spanloom.terminal.output import print_indented
from spanloom.terminal.sayings import message_lines, read_messages, text_lines
from spanloom.terminal.transcript import error_lines, heading
from spanloom.terminal.values import signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

MAX_FACT = 400
"""Characters of what is known of a step besides its texts."""


def render_step(told: dict[str, Any], console: Console, *, is_full: bool) -> None:
    """Print one step: what it is, its messages or arguments and result, and its metadata."""
    signs, step = signs_of(console), DocumentStep(told)
    facts = {**step.model_info, **step.metadata}
    for line in (
        heading(step, signs),
        *_texts(step, is_full=is_full),
        *error_lines(step, {}, signs),
        *(Text.assemble((f"  {printable(k)}: ", "dim"), _cut(facts[k])) for k in sorted(facts)),
    ):
        print_indented(line, console)


def _texts(step: DocumentStep, *, is_full: bool) -> Iterator[Text]:
    """Yield input and output, message by message where they hold messages."""
    for way, text in (("input", step.input), ("output", step.output)):
        messages = read_messages(text) if step.type == "model" else ()
        yield Text(way if text else f"no {way}", "dim underline" if text else "dim")
        for message in messages:
            yield from message_lines(message, is_full=is_full)
        if not messages:
            yield from text_lines(text, is_full=is_full)


def _cut(value: object) -> str:
    return shortened(str(value), MAX_FACT)
