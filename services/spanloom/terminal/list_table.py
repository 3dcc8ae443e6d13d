"""A list of trajectories: what each was about, how it went, what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from spanloom.terminal.values import (
    STATUS_STYLES,
    TYPE_STYLES,
    Signs,
    age,
    counted,
    cut,
    duration,
    printable,
    signs_of,
    went,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console

Item = dict[str, Any]  # an item of the API's list, as json gives it
_NAMES, _GAP, _ID_CHARS = 2, 2, 32
NOTHING = (
    "No trajectories. `spanloom instrument` says how agents are made to send, `spanloom demo` "
    "shows a run; filters may hide others."
)


class Column(NamedTuple):
    """A column beside the run itself."""

    title: str
    from_width: int
    """Of the terminal: on a narrower one it is left out."""
    cells: int
    """As wide as what it usually holds; names are cut there."""
    cell: Callable[[Item], Text]
    is_number: bool = False


def render_list(items: list[Item], console: Console, now_ms: int) -> None:
    """Print items of the API's list; a narrow terminal loses columns, not names."""
    if not items:
        console.print(NOTHING, soft_wrap=True)
        return
    signs = signs_of(console)
    columns = [c for c in _columns(now_ms) if console.width >= c.from_width]
    console.print(_grid(columns, console.width, [Text(c.title, "dim") for c in columns], "run"))
    for item in items:
        cells = [column.cell(item) for column in columns]
        console.print(_grid(columns, console.width, cells, _run(item, signs)))
        for line in _about(item):
            console.print(cut(line, console.width))
        console.print()


def _grid(columns: Sequence[Column], width: int, cells: Iterable[Text], run: Text | str) -> Table:
    """Lay one row out; every row has the same widths, so that they stand below each other."""
    room = width - _GAP - sum(column.cells + _GAP for column in columns)
    grid = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=True)
    grid.add_column(width=max(room, _ID_CHARS), no_wrap=True, overflow="ellipsis")
    for column in columns:
        grid.add_column(
            justify="right" if column.is_number else "left",
            width=column.cells,
            no_wrap=True,
            overflow="ellipsis",
        )
    grid.add_row(Text(run, "dim") if isinstance(run, str) else run, *cells)
    return grid


def _columns(now_ms: int) -> Iterable[Column]:
    yield Column("agents", 124, 20, lambda item: _names(item["agent_names"], "magenta"))
    yield Column("model", 100, 17, lambda item: _names(item.get("models") or (), "cyan"))
    yield Column("steps", 68, 10, lambda item: _steps(item["step_counts"]))
    yield Column("tokens", 80, 11, _tokens, is_number=True)
    yield Column(
        "time", 44, 7, lambda item: Text(duration(whole(item["duration"]))), is_number=True
    )
    yield Column("when", 54, 10, lambda item: _when(item, now_ms))


def _run(item: Item, signs: Signs) -> Text:
    """Name the run, how it went, and by which id to show it."""
    name = Text(printable(item["root_name"]) or "(no name)", "bold")
    outcome = went(str(item["outcome"]), signs)
    return Text.assemble(name, " " if outcome else "", outcome, "\n", (item["trace_id"], "dim"))


def _about(item: Item) -> Iterable[Text]:
    """Say what was asked and answered, of which conversation a run is, and what it repeats."""
    for label, key in (("asked", "question"), ("answered", "answer")):
        if said := str(item.get(key) or ""):
            yield Text.assemble((f"  {label:<10}", "dim"), printable(said))
    if conversation := item.get("conversation_id"):
        yield Text.assemble(("  in        ", "dim"), f"conversation {printable(conversation)}")
    if original := item.get("duplicate_of"):
        yield Text.assemble(("  repeats   ", "dim"), (original, "yellow"))


def _names(names: Iterable[str], style: str) -> Text:
    """Name the first two, each once, and how many more there are."""
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


def _tokens(item: Item) -> Text:
    spent = (f"{item['input_tokens']:,}", (" in ", "dim"), f"\n{item['output_tokens']:,}")
    return Text.assemble(*spent, (" out", "dim"))


def _when(item: Item, now_ms: int) -> Text:
    status = str(item["status"])
    ago = age(now_ms - whole(item["started_at"]))
    return Text.assemble(ago, "\n", (status, STATUS_STYLES.get(status, "")))
