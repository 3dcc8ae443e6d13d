"""Finds a text in the steps of one run, by the numbers of its rows.

A part of a word is found too, in any case: whoever looks into one run wants ``kub`` to find
``Kubernetes``. Whole words of all runs are searched elsewhere (``/v1/search``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.texts import read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep
    from spanloom.core.outline.rows import OutlineRow

BEFORE_CHARS, AFTER_CHARS = 40, 120


class Found(NamedTuple):
    """A row in which the text stands."""

    row: int
    part: str
    """``name``, ``input``, ``output`` or ``error``."""
    snippet: str
    """What stands around it, in one line."""


def find_rows(
    rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep], text: str
) -> Iterator[Found]:
    """Yield each row once that has the text, with the first part of it that does."""
    wanted = text.casefold()
    for number, row in enumerate(rows):
        step = steps.get(row.id) if row.step_id == row.id else None
        for part, said in _parts(row, step):
            at = said.casefold().find(wanted)
            if at >= 0:
                yield Found(number, part, _around(said, at, len(text)))
                break


def _parts(row: OutlineRow, step: DocumentStep | None) -> Iterator[tuple[str, str]]:
    yield "name", row.name
    if step is None:
        return
    for part, text in (("output", step.output), ("input", step.input)):
        yield part, "\n".join(read_texts(text))
    if step.error:
        yield "error", step.error_message


def _around(said: str, at: int, length: int) -> str:
    begin, end = max(at - BEFORE_CHARS, 0), at + length + AFTER_CHARS
    head, tail = "…" if begin else "", "…" if end < len(said) else ""
    return f"{head}{' '.join(said[begin:end].split())}{tail}"
