"""Prints the spans of a trace as a tree, each with its classification and the rule that decided."""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text

from spanloom.core.showing.values import counted, printable
from spanloom.terminal.output import TYPE_STYLES, cut, signs_of
from spanloom.terminal.render import joined, warning_lines
from spanloom.terminal.spans import build_forest
from spanloom.terminal.tree import levels_in, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from spanloom.terminal.output import Signs
    from spanloom.terminal.spans import SpanNode
    from spanloom.terminal.tree import Branch

MAX_SPANS = 2_000
_NARROW, _WIDE = 80, 120
_MAX_WIDTH = 160
_FATES = {"kept": "green", "merged": "yellow", "dropped": "dim"}

Span = dict[str, Any]  # an item of the response of /spans


class _Line(NamedTuple):
    label: Text
    cells: Sequence[Text]
    """The columns to the right of the label."""
    failure: Text | None
    """A second line below the first."""


def render_explanation(answer: dict[str, Any], document: dict[str, Any], console: Console) -> None:
    """Print the response of ``/spans`` as a tree: for each span its kind, its step, and the rule.

    A merged span shows the id of the step under which it counts. A wide terminal also shows the id
    of every span; a narrow terminal shows neither ids nor kinds, because names take half of each
    line. The warnings of the document follow.
    """
    signs = signs_of(console)
    width = min(console.width, _MAX_WIDTH)
    spans: list[Span] = answer.get("spans") or []
    trees = (walk(top, signs, levels_in(width)) for top in build_forest(spans))
    drawn = islice(chain.from_iterable(trees), MAX_SPANS)
    lines = [_line(branch, signs, width) for branch in drawn]
    console.print(_heading(answer, spans, signs), end="\n\n", width=width)
    for text in _aligned(lines, width):
        console.print(text, width=width)
    if len(spans) > MAX_SPANS:
        left = f"{signs.more} {len(spans) - MAX_SPANS:,} more spans; --json has all of them"
        console.print(Text(left, "yellow"))
    if warnings := warning_lines(document, signs):
        console.print(Text(), *warnings, sep="\n", width=width)


def _heading(answer: dict[str, Any], spans: Iterable[Span], signs: Signs) -> Text:
    fates = Counter(map(_fate, spans))
    dialects = sorted({str(span.get("dialect")) for span in spans})
    parts: list[Text | str] = [
        counted(fates.total(), "span"),
        *(Text(f"{fates[fate]:,} {fate}", style) for fate, style in _FATES.items() if fates[fate]),
        printable(", ".join(dialects)),
    ]
    named = printable(str(answer.get("trace_id", "")))
    return Text.assemble((named, "dim"), "  ", joined(parts, signs))


def _line(branch: Branch[SpanNode], signs: Signs, width: int) -> _Line:
    span, kind = branch.node.span, branch.node.kind
    fate = _fate(span)
    style = TYPE_STYLES.get(kind, "") if fate == "kept" else "dim"
    label = Text.assemble(
        (branch.lead, "dim"),
        (signs.types.get(kind, "?") + " ", style),
        (printable(str(span.get("name", ""))) or "(no name)", style),
    )
    where = f"into {span['step_id']}" if fate == "merged" and width >= _NARROW else fate
    cells = [
        Text(printable(where), _FATES[fate]),
        Text(_decided_by(span), "" if fate == "kept" else "dim"),
    ]
    if width >= _NARROW:
        cells.insert(0, Text(printable(kind), style))
    if width >= _WIDE:
        cells.insert(0, Text(printable(str(span.get("span_id"))), "dim"))
    failure = None
    if error := span.get("error"):
        words = f"{signs.error} {printable(str(error))}"
        failure = Text.assemble((branch.below + "  ", "dim"), (words, "red"))
    return _Line(label, cells, failure)


def _fate(span: Span) -> str:
    if span.get("step_id") is None:
        return "dropped"
    return "kept" if span["step_id"] == span.get("span_id") else "merged"


def _decided_by(span: Span) -> str:
    """Return the rule, and the dialect unless the rule's name begins with it."""
    rule, dialect = str(span.get("rule")), str(span.get("dialect"))
    shared = "" if rule.startswith(f"{dialect}.") else f" ({dialect})"
    return printable(rule + shared)


def _aligned(lines: Sequence[_Line], width: int) -> Iterable[Text]:
    """Align the cells in columns; the labels get the remaining width, at least half of it."""
    if not lines:
        return
    columns = [
        max(cell.cell_len for cell in column)
        for column in zip(*(n.cells for n in lines), strict=True)
    ]
    left = max(width // 2, width - sum(columns) - 2 * len(columns))
    left = min(left, max(line.label.cell_len for line in lines))
    for line in lines:
        text = line.label
        text.truncate(left, overflow="ellipsis", pad=True)
        for cell, cells in zip(line.cells, columns, strict=True):
            text.append("  ").append_text(cell)
            text.pad_right(cells - cell.cell_len)
        text.rstrip()
        yield cut(text, width)
        if line.failure is not None:
            yield cut(line.failure, width)
