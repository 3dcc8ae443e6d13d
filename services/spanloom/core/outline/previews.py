"""What a row says in a line: the beginning of what its step answered, or was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.texts import read_texts

if TYPE_CHECKING:
    from spanloom.core.document import DocumentStep

PREVIEW_CHARS = 200
_READ_CHARS = 20_000
"""So much of what is said is looked at."""


class Source(NamedTuple):
    """What the line of a step is made of."""

    text: str
    """What it answered, or was given if it answered nothing."""
    model: str
    cost: float | None
    """In US dollars."""
    error: str


def source_of(step: DocumentStep) -> Source:
    """Return what of a step is kept for its line."""
    metadata = step.metadata
    cost = metadata.get("cost")
    return Source(
        step.output or step.input,
        metadata.get("model", ""),
        None if cost is None else float(cost),
        step.error_message[:PREVIEW_CHARS],
    )


def first_words(text: str) -> str:
    """Return the beginning of what a text says, in one line; of messages that of the last one."""
    said = read_texts(text)
    line = " ".join((said[-1] if said else "")[:_READ_CHARS].split())
    return line if len(line) <= PREVIEW_CHARS else f"{line[: PREVIEW_CHARS - 1]}…"
