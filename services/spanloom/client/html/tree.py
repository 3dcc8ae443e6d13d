"""A run as a tree of steps, each of which unfolds to show its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.client.html.page import MAX_BYTES, MAX_ROWS, coloured, framed, lines, note, size, text
from spanloom.core.showing.steps import build_tree
from spanloom.core.showing.values import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.showing.steps import Node

MAX_TEXT = 1_000
"""Maximum characters of an input or output."""
MAX_DEPTH = 32
"""Maximum levels of nesting; deeper steps are drawn on the last one."""
_COLOURS = {"agent": "#909", "model": "#077", "tool": "#070", "graph": "#06c"}
_FRAME_BYTES = 2_000
_OPEN = '<details style="margin-left:18px"{is_open}><summary>{summary}</summary>{texts}'
_CLOSE = "</details>"
_PRE = '<pre style="white-space:pre-wrap;margin:0 0 4px 18px">{}</pre>'


class _Piece(NamedTuple):
    """A step's opening HTML and its depth in the tree."""

    html: str
    depth: int


def tree_html(document: Mapping[str, Any]) -> str:  # the canonical document
    """Return a tree of at most 200 steps and 100 KB; a note below says if it is cut."""
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
    """Yield the pieces, each closed before the next one that is not nested in it."""
    opened = 0
    for piece in pieces:
        yield _CLOSE * (opened - piece.depth)
        yield piece.html
        opened = piece.depth + 1
    yield _CLOSE * opened


def _opened(node: Node, depth: int) -> str:
    step = node.step
    texts = "".join(
        _PRE.format(f"<b>{name}</b> {lines(str(said), MAX_TEXT)}")
        for name, said in (("in", step.input), ("out", step.output))
        if said
    )
    if step.error:
        texts += _PRE.format(coloured(lines(str(step.error_message), MAX_TEXT), "#c00"))
    return _OPEN.format(is_open="" if depth else " open", summary=_summary(node), texts=texts)


def _summary(node: Node) -> str:
    step = node.step
    used = step.tokens
    tokens = f"{used.get('input_tokens', 0):,} → {used.get('output_tokens', 0):,} tokens"
    parts = (
        coloured(text(node.type, 20), _COLOURS.get(node.type, "")),
        f"<b>{text(step.name or '(no name)', 80)}</b>",
        text(step.model, 60),
        text(duration(node.duration_ms)),
        tokens if used else "",
        coloured("✗ failed" if step.error else "", "#c00"),
    )
    return " · ".join(part for part in parts if part)
