"""The preview line of a row: the beginning of its step's output, or else of its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.texts import read_texts

if TYPE_CHECKING:
    from spanloom.core.document import DocumentStep

PREVIEW_CHARS = 200
_READ_CHARS = 20_000
"""Most characters of a text that are read for a preview."""


class Source(NamedTuple):
    """The data of a step's preview line."""

    text: str
    """The output, or the input if there is no output."""
    model: str
    cost: float | None
    """In US dollars."""
    error: str


def source_of(step: DocumentStep) -> Source:
    """Return the data of a step's preview line."""
    metadata = step.metadata
    cost = metadata.get("cost")
    return Source(
        step.output or step.input,
        metadata.get("model", ""),
        None if cost is None else float(cost),
        step.error_message[:PREVIEW_CHARS],
    )


def first_words(text: str) -> str:
    """Return the beginning of a text in one line; of messages that of the last one."""
    texts = read_texts(text)
    line = " ".join((texts[-1] if texts else "")[:_READ_CHARS].split())
    return line if len(line) <= PREVIEW_CHARS else f"{line[: PREVIEW_CHARS - 1]}…"
