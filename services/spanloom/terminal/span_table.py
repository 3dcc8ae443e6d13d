"""What became of each span, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import printable
from spanloom.terminal.values import TYPE_STYLES, signs_of

if TYPE_CHECKING:
    from rich.console import Console

MAX_SPANS = 2_000
_WIDE = 120


def render_spans(document: dict[str, Any], console: Console) -> None:
    """Print the answer of ``/spans``: each span's kind, the rule that decided, and its step.

    ``itself`` means that the span is the step; an id, that it counts under that step; noise
    has no step.
    """
    signs = signs_of(console)
    is_wide = console.width >= _WIDE
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("span", "kind", "name", "decided by", *(["dialect"] if is_wide else [])):
        table.add_column(title, no_wrap=title in {"span", "kind", "dialect"})
    table.add_column("counts under", no_wrap=True)
    spans = document.get("spans") or []
    for span in spans[:MAX_SPANS]:
        kind = str(span.get("kind"))
        style = TYPE_STYLES.get(kind, "")
        table.add_row(
            _cell(str(span.get("span_id")), "dim"),
            _cell(f"{signs.types.get(kind, '?')} {kind}", style),
            _cell(str(span.get("name")), style),
            _cell(str(span.get("rule"))),
            *([_cell(str(span.get("dialect")))] if is_wide else []),
            _step(span),
        )
    console.print(table)
    if len(spans) > MAX_SPANS:
        left = f"{signs.more} {len(spans) - MAX_SPANS:,} more spans; --json has all of them"
        console.print(Text(left, "yellow"))


def _step(span: dict[str, Any]) -> Text:
    if span.get("step_id") is None:
        return Text("noise", "dim")
    return _cell("itself" if span["step_id"] == span.get("span_id") else str(span["step_id"]))


def _cell(text: str, style: str = "") -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
