"""Finds a text in the steps of one run, by row number.

Parts of words match, in any case: ``kub`` finds ``Kubernetes``. The search over all runs, which
matches whole words, is ``/v1/search``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.outline.rows import OutlineRow

BEFORE_CHARS, AFTER_CHARS = 40, 120


class Match(NamedTuple):
    """A row that contains the text."""

    row: int
    part: str
    """``name``, ``input``, ``output`` or ``error``."""
    snippet: str
    """The text around the match, in one line."""


def find_rows(
    rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep], text: str
) -> Iterator[Match]:
    """Yield each matching row once, with its first part that contains the text."""
    needle = text.casefold()
    for number, row in enumerate(rows):
        step = steps.get(row.id) if row.step_id == row.id else None
        for part, content in _parts(row, step):
            at = content.casefold().find(needle)
            if at >= 0:
                yield Match(number, part, _around(content, at, len(text)))
                break


def _parts(row: OutlineRow, step: DocumentStep | None) -> Iterator[tuple[str, str]]:
    yield "name", row.name
    if step is None:
        return
    for part, text in (("output", step.output), ("input", step.input)):
        yield part, "\n".join(read_texts(text))
    if step.error:
        yield "error", step.error_message


def _around(content: str, at: int, length: int) -> str:
    begin, end = max(at - BEFORE_CHARS, 0), at + length + AFTER_CHARS
    head, tail = "…" if begin else "", "…" if end < len(content) else ""
    return f"{head}{' '.join(content[begin:end].split())}{tail}"
