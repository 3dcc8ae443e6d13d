"""One version of a run for display: its rows, their previews, and a search in the rows' texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.document import AGENT, Document
from spanloom.core.messages.texts import read_texts
from spanloom.core.outline.rows import OutlineRow, place_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

if TYPE_CHECKING:
    Json = Mapping[str, Any]

_ROW_BYTES = 700
"""Memory of a row without its text, in bytes."""


class RunView(NamedTuple):
    """The rows of a run; cached while a run is viewed, and therefore without most of its texts."""

    version: int
    rows: Sequence[OutlineRow]
    sources: Sequence[Source | None]
    """The source of each row's preview; ``None`` if the row has only a name."""

    @property
    def size(self) -> int:
        """Approximate memory in bytes."""
        texts = sum(len(source.text) for source in self.sources if source is not None)
        return texts + _ROW_BYTES * len(self.rows)


class WholeRun(NamedTuple):
    """A run with the texts of its steps."""

    view: RunView
    steps: Mapping[str, DocumentStep]


def read_run(document: bytes, spans: bytes) -> WholeRun:
    """Parse a run from its document and its classified spans, both of the same version."""
    parsed = Document(orjson.loads(document))
    steps = parsed.by_id()
    rows = place_rows(steps, orjson.loads(spans))
    sources = [source_of(steps[row.id]) if row.id in steps else None for row in rows]
    return WholeRun(RunView(parsed.extraction.version, rows, sources), steps)


PREVIEW_CHARS = 200
_READ_CHARS = 20_000
"""Maximum characters of a text that are read for a preview."""


class Source(NamedTuple):
    """The data from which a step's preview line is made."""

    text: str
    """The output, or the input if there is no output."""
    model: str
    cost: float | None
    """The cost of the step in US dollars."""
    error: str


def source_of(step: DocumentStep) -> Source:
    """Return the data from which a step's preview line is made."""
    metadata = step.metadata
    cost = metadata.get("cost")
    return Source(
        step.output or step.input,
        metadata.get("model", ""),
        None if cost is None else float(cost),
        step.error_message[:PREVIEW_CHARS],
    )


def first_words(text: str) -> str:
    """Return the beginning of a text, or of its last message if it has any, in one line."""
    texts = read_texts(text)
    line = " ".join((texts[-1] if texts else "")[:_READ_CHARS].split())
    return line if len(line) <= PREVIEW_CHARS else f"{line[: PREVIEW_CHARS - 1]}…"


def spans_of_document(document: Json) -> Sequence[Json]:
    """Return a span for each step of a canonical document, ordered by start.

    The spans have the form of classified spans, without dialect and rule. Framework spans that
    are no steps are missing.
    """
    view = Document(document)
    root = view.root.id
    steps = sorted(view.by_id().values(), key=lambda step: (step.started_at, step.id != root))
    return [_span(step) for step in steps]


def _span(step: DocumentStep) -> Json:
    info = step.basic_info
    return {
        "span_id": step.id,
        "step_id": step.id,
        "parent_span_id": "" if step.parent_id == step.id else step.parent_id,
        "kind": step.type or AGENT,
        "name": step.name,
        "started_at": info["started_at"],
        "duration": info["duration"],
        "error": (step.error or {}).get("msg"),
    }


BEFORE_CHARS, AFTER_CHARS = 40, 120


class Match(NamedTuple):
    """A row that contains the searched text."""

    row: int
    part: str
    """The matching field: ``name``, ``input``, ``output`` or ``error``."""
    snippet: str
    """The text around the match, in one line."""


def find_rows(
    rows: Sequence[OutlineRow], steps: Mapping[str, DocumentStep], text: str
) -> Iterator[Match]:
    """Yield each matching row once, with the first of its fields that contains the text.

    Parts of words match, in any case: ``kub`` finds ``Kubernetes``. Several words match as they are
    written, or if all of them occur in any order. The search over all runs, which matches whole
    words, is ``/v1/search``.
    """
    needle = text.casefold()
    words = needle.split()
    for number, row in enumerate(rows):
        step = steps.get(row.id) if row.step_id == row.id else None
        for part, content in _parts(row, step):
            at = _place(content.casefold(), needle, words)
            if at >= 0:
                yield Match(number, part, _around(content, at, len(text)))
                break


def _place(content: str, needle: str, words: Sequence[str]) -> int:
    """Return the position of a text, or of its first word if all its words occur, or else -1."""
    at = content.find(needle)
    if at >= 0 or len(words) < 2:
        return at
    places = [content.find(word) for word in words]
    return -1 if -1 in places else min(places)


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
