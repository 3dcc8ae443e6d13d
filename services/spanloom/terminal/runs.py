"""Prints runs: a list as a table, with fewer columns on narrow terminals, or one run as a line."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.model.step import with_type
from spanloom.core.showing.values import age, counted, duration, printable
from spanloom.terminal.output import (
    OUTCOME_STYLES,
    STATUS_STYLES,
    TYPE_STYLES,
    Signs,
    cut,
    outcome_text,
    signs_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console, OverflowMethod


Item = dict[str, Any]  # an item of one of the API's lists, as parsed JSON
GAP, LEAST_ROOM = 2, 32
"""Cells between columns; minimum width of the first column, wide enough for a trace id."""


class Column(NamedTuple):
    """A column to the right of the first column."""

    title: str
    from_width: int
    """Terminal width from which the column is shown."""
    cells: int
    """Width of the column; longer values are cut."""
    cell: Callable[[Item], Text]
    is_number: bool = False


class Grid:
    """Prints rows to one terminal with the same column widths, so that they align."""

    def __init__(
        self, console: Console, title: str, columns: Iterable[Column], *, is_cut: bool = True
    ) -> None:
        """Choose the columns for which the terminal is wide enough, and print their titles.

        Text too long for the first column is cut, or wrapped if ``is_cut`` is false.
        """
        self._console, self._is_cut = console, is_cut
        self._columns = [c for c in columns if console.width >= c.from_width]
        self._print(Text(title, "dim"), [Text(c.title, "dim") for c in self._columns])

    def print_row(self, first: Text, item: Item) -> None:
        """Print an item as a row, with ``first`` in the first column."""
        self._print(first, [column.cell(item) for column in self._columns])

    def _print(self, first: Text, cells: Sequence[Text]) -> None:
        room = self._console.width - GAP - sum(column.cells + GAP for column in self._columns)
        grid = Table.grid(padding=(0, GAP, 0, 0), pad_edge=True)
        overflow: OverflowMethod = "ellipsis" if self._is_cut else "fold"
        grid.add_column(width=max(room, LEAST_ROOM), no_wrap=self._is_cut, overflow=overflow)
        for column in self._columns:
            grid.add_column(
                justify="right" if column.is_number else "left",
                width=column.cells,
                no_wrap=True,
                overflow="ellipsis",
            )
        grid.add_row(first, *cells)
        self._console.print(grid)


def tokens_cell(item: Item) -> Text:
    """Return the input and output tokens of a run or conversation, in two lines."""
    spent = (f"{item['input_tokens']:,}", (" in ", "dim"), f"\n{item['output_tokens']:,}")
    return Text.assemble(*spent, (" out", "dim"))


def when_cell(run: Item, now_ms: int) -> Text:
    """Return how long ago a run began, and its status, in two lines."""
    status = str(run["status"])
    ago = age(now_ms - whole(run["started_at"]))
    return Text.assemble(ago, "\n", (status, STATUS_STYLES.get(status, "")))


_NAMES = 2
_LEAST_COST = 0.0001
"""In US dollars; a lower cost is printed as ``<$0.0001`` instead of zero."""
_OF_STATUSES = {
    "live": "still going",
    "settled": "complete, no more spans are expected",
    "partial": "its root has not arrived",
    "failed": "could not be read",
}
_MEANINGS = {
    "failed": "something failed and was not recovered",
    "recovered": "something failed, but the run continued",
    "paused": "waits for a person",
    "cancelled": "stopped from outside",
    "unfinished": "never ended",
}
NOTHING = (
    "No trajectories. `spanloom instrument` shows how to send spans, `spanloom demo` shows a run; "
    "filters may hide others."
)


def render_list(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's list of runs; a narrow terminal shows fewer columns."""
    if not items:
        console.print(NOTHING, soft_wrap=True)
        return
    signs = signs_of(console)
    grid = Grid(console, "run", _columns(now_ms))
    for item in items:
        grid.print_row(_run(item, signs), item)
        for line in _about(item):
            console.print(cut(line, console.width))
        console.print()
    if console.is_terminal:
        console.print(_legend(items, signs))


def _legend(items: Sequence[Item], signs: Signs) -> Text:
    """Return the meanings of the outcomes in a list on one line, of its statuses on the next."""
    outcomes = {str(item["outcome"]) for item in items}
    statuses = {str(item["status"]) for item in items}
    lines = (
        (f"{signs.outcomes[n]} {n}: {what}" for n, what in _MEANINGS.items() if n in outcomes),
        (f"{n}: {what}" for n, what in _OF_STATUSES.items() if n in statuses),
    )
    return Text("\n".join(filter(None, map("   ".join, lines))), "dim")


def exchange_lines(item: Item) -> Iterable[Text]:
    """Yield the question and the answer, each as a labelled line."""
    for label, key in (("asked", "question"), ("answered", "answer")):
        if text := str(item.get(key) or ""):
            yield labelled(label, printable(text))


def labelled(label: str, text: str, style: str = "") -> Text:
    """Return a line to print below a row, with its label in a column of its own."""
    return Text.assemble((f"  {label:<10}", "dim"), (text, style))


def why_failed(item: Item) -> str:
    """Return the first line of the error that ended a run, with its type."""
    message, kind = str(item.get("error_message") or ""), str(item.get("error_type") or "")
    return with_type(message.partition("\n")[0], kind) if message else kind


def _columns(now_ms: int) -> Iterable[Column]:
    yield Column("agents", 124, 20, lambda item: _names(item["agent_names"], "magenta"))
    yield Column("model", 100, 17, lambda item: _names(item.get("models") or (), "cyan"))
    yield Column("steps", 68, 10, lambda item: _steps(item["step_counts"]))
    yield Column("tokens", 80, 11, tokens_cell, is_number=True)
    yield Column("cost", 136, 9, _cost, is_number=True)
    yield Column(
        "time", 44, 7, lambda item: Text(duration(whole(item["duration"]))), is_number=True
    )
    yield Column("when", 54, 10, lambda item: when_cell(item, now_ms))


def _cost(item: Item) -> Text:
    """Return the cost in US dollars; empty if it is unknown."""
    cost = item.get("cost")
    if cost is None or 0 < cost < _LEAST_COST:
        return Text("" if cost is None else f"<${_LEAST_COST:.4f}")
    return Text(f"${cost:,.2f}" if cost >= 0.1 else f"${cost:.4f}")


def _run(item: Item, signs: Signs) -> Text:
    """Return the name of the run and its outcome, and on the next line its trace id."""
    name = Text(printable(item["root_name"]) or "(no name)", "bold")
    outcome = outcome_text(str(item["outcome"]), signs)
    return Text.assemble(name, " " if outcome else "", outcome, "\n", (item["trace_id"], "dim"))


def _about(item: Item) -> Iterable[Text]:
    """Yield question and answer, the error, the conversation and the runs linked to a run."""
    yield from exchange_lines(item)
    if item.get("has_error") and (why := why_failed(item)):
        yield labelled("failed", printable(why), OUTCOME_STYLES["failed"])
    if conversation := item.get("conversation_id"):
        yield labelled("in", f"conversation {printable(conversation)}")
    if resumed := item.get("resumes"):
        yield labelled("resumes", resumed, "cyan")
    if resumer := item.get("resumed_by"):
        yield labelled("resumed", f"by {resumer}", "cyan")
    if original := item.get("duplicate_of"):
        yield labelled("repeats", original, "yellow")


def _names(names: Iterable[str], style: str) -> Text:
    """Return the first two distinct names, and how many more there are."""
    different = [printable(name) for name in dict.fromkeys(names)]
    lines = Text("\n".join(different[:_NAMES]), style)
    if len(different) > _NAMES:
        lines.append(f" +{len(different) - _NAMES}", "dim")
    return lines


def _steps(counts: dict[str, int]) -> Text:
    return Text("\n").join(
        Text(counted(counts[kind], kind), TYPE_STYLES[kind])
        for kind in ("model", "tool")
        if counts.get(kind)
    )


_NAME_CHARS = 40


def print_run(item: dict[str, Any], console: Console) -> None:
    """Print a run as one line: local start time, outcome, name, duration, tokens and id.

    The line is cut at the edge of a terminal, but not in a pipe; the trace id comes last.
    """
    signs = signs_of(console)
    status = str(item["status"])
    how = outcome_text(str(item["outcome"]), signs) or Text(status, STATUS_STYLES.get(status, ""))
    began = datetime.fromtimestamp(whole(item["started_at"]) / 1000).astimezone()
    steps = [
        counted(item["step_counts"][kind], kind)
        for kind in ("model", "tool")
        if item["step_counts"].get(kind)
    ]
    line = Text.assemble(
        (f"{began:%H:%M:%S}  ", "dim"),
        how,
        "  ",
        (printable(str(item["root_name"]))[:_NAME_CHARS] or "(no name)", "bold"),
        f"  {duration(whole(item['duration']))}",
        f"  {', '.join(steps)}" if steps else "",
        f"  {item['input_tokens']:,} {signs.arrow} {item['output_tokens']:,} tokens",
        (f"  {item['trace_id']}", "dim"),
    )
    if console.is_terminal:
        line.truncate(console.width, overflow="ellipsis")
    console.print(line, soft_wrap=True)
