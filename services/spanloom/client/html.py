r"""Makes HTML for notebooks, without scripts, links, pictures or other external content.

In: runs of a list, or the document of a trajectory. Out: one HTML fragment, limited in size.
Recorded text is escaped; control characters, and characters that change the direction of writing,
are written as ``\x1b`` and the like. Start with ``runs_html`` and ``tree_html``.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.showing.steps import build_tree
from spanloom.core.showing.values import duration, instant, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.records.run import Run
    from spanloom.core.showing.steps import Node


MAX_BYTES = 100_000
"""The maximum size of the HTML for a notebook."""
MAX_ROWS = 200
_FRAME = "font-family:ui-monospace,monospace;font-size:12px;line-height:1.5"


def text(recorded: object, most: int = 200) -> str:
    """Return text as HTML on one line, cut to ``most`` characters."""
    whole = str(recorded)
    return escape(printable(whole[:most])) + ("…" if len(whole) > most else "")


def lines(recorded: str, most: int) -> str:
    """Return text as HTML with its line breaks, cut to ``most`` characters."""
    shown = "\n".join(escape(printable(line)) for line in recorded[:most].split("\n"))
    return shown + ("…" if len(recorded) > most else "")


def coloured(html: str, colour: str) -> str:
    """Return HTML in a colour; unchanged if the HTML or the colour is empty."""
    return f'<span style="color:{colour}">{html}</span>' if html and colour else html


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are HTML."""
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table cellpadding="4" style="text-align:left"><tr>{head}</tr>{body}</table>'


def framed(*pieces: str) -> str:
    """Return HTML fragments in one frame, one below the other."""
    return f'<div style="{_FRAME}">{"".join(pieces)}</div>'


def note(words: str) -> str:
    """Return a remark by Spanloom, as distinct from recorded text."""
    return f"<div><i>{escape(words)}</i></div>"


def size(html: str) -> int:
    """Return the size of a fragment in bytes."""
    return len(html.encode("utf-8", "replace"))


_TITLES = ("run", "asked", "answered", "went", "began", "took", "tokens", "trace id")
_OUTCOME_COLOURS = {
    "failed": "#c00",
    "recovered": "#a60",
    "paused": "#07a",
    "cancelled": "#808",
    "unfinished": "#808",
}
_FRAME_BYTES = 2_000
"""Bytes reserved for the HTML around the rows."""


def runs_html(runs: Sequence[Run], *, has_more: bool = False) -> str:
    """Return a table of at most 200 runs and 100 KB; a note below mentions if there are more."""
    rows = list(_fitting(runs[:MAX_ROWS]))
    shown = table(_TITLES, rows) if rows else note("no runs")
    is_cut = has_more or len(rows) < len(runs)
    return framed(shown, note(f"the first {len(rows)} runs; there are more") if is_cut else "")


def _fitting(runs: Sequence[Run]) -> Iterator[Sequence[str]]:
    left = MAX_BYTES - _FRAME_BYTES
    for run in runs:
        row = _row(run)
        left -= size(table((), [row]))
        if left < 0:
            return
        yield row


def _row(run: Run) -> Sequence[str]:
    return (
        text(run.root_name, 60),
        text(run.question, 100),
        text(run.answer, 100),
        coloured(text(run.outcome, 20), _OUTCOME_COLOURS.get(run.outcome, "")),
        text(instant(run.started_at)),
        text(duration(run.duration)),
        f"{run.input_tokens:,} → {run.output_tokens:,}",
        text(run.trace_id, 32),
    )


MAX_TEXT = 1_000
"""Maximum characters of an input or output."""
MAX_DEPTH = 32
"""Maximum levels of nesting; deeper steps are drawn on the last level."""
_KIND_COLOURS = {"agent": "#909", "model": "#077", "tool": "#070", "graph": "#06c"}
_OPEN = '<details style="margin-left:18px"{is_open}><summary>{summary}</summary>{texts}'
_CLOSE = "</details>"
_PRE = '<pre style="white-space:pre-wrap;margin:0 0 4px 18px">{}</pre>'


class _Piece(NamedTuple):
    """A step's opening HTML and its depth in the tree."""

    html: str
    depth: int


def tree_html(document: Mapping[str, Any]) -> str:  # the canonical document
    """Return a tree of at most 200 steps and 100 KB; a note below mentions if it is cut."""
    root = build_tree(dict(document))
    pieces: list[_Piece] = []
    total = sum(1 for _ in _walk(root))
    left = MAX_BYTES - _FRAME_BYTES
    for node, depth in _walk(root):
        piece = _Piece(_opened(node, depth), depth)
        left -= size(piece.html + _CLOSE)
        if left < 0 or len(pieces) == MAX_ROWS:
            break
        pieces.append(piece)
    is_cut = len(pieces) < total
    words = f"the first {len(pieces)} of {total:,} steps; `.steps` has all of them"
    return framed("".join(_nested(pieces)), note(words) if is_cut else "")


def _walk(root: Node) -> Iterator[tuple[Node, int]]:
    """Yield every step, parents first, with its depth."""
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, min(depth + 1, MAX_DEPTH)) for child in reversed(node.children))


def _nested(pieces: list[_Piece]) -> Iterator[str]:
    """Yield the fragments, each closed before the next one that is not nested in it."""
    opened = 0
    for piece in pieces:
        yield _CLOSE * (opened - piece.depth)
        yield piece.html
        opened = piece.depth + 1
    yield _CLOSE * opened


def _opened(node: Node, depth: int) -> str:
    step = node.step
    texts = "".join(
        _PRE.format(f"<b>{name}</b> {lines(str(value), MAX_TEXT)}")
        for name, value in (("in", step.input), ("out", step.output))
        if value
    )
    if step.error:
        texts += _PRE.format(coloured(lines(str(step.error_message), MAX_TEXT), "#c00"))
    return _OPEN.format(is_open="" if depth else " open", summary=_summary(node), texts=texts)


def _summary(node: Node) -> str:
    step = node.step
    used = step.tokens
    tokens = f"{used.get('input_tokens', 0):,} → {used.get('output_tokens', 0):,} tokens"
    parts = (
        coloured(text(node.type, 20), _KIND_COLOURS.get(node.type, "")),
        f"<b>{text(step.name or '(no name)', 80)}</b>",
        text(step.model, 60),
        text(duration(node.duration_ms)),
        tokens if used else "",
        coloured("✗ failed" if step.error else "", "#c00"),
    )
    return " · ".join(part for part in parts if part)
