"""Prints the result of an evaluation, and the comparison of two evaluations, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import counted, printable
from spanloom.evaluation.files.gates import number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

Json = dict[str, Any]
_STYLES = {
    "passed": "green",
    "failed": "bold red",
    "undecided": "yellow",
    "better": "green",
    "worse": "bold red",
    "no_difference_shown": "dim",
}


def render_evaluation(head: Mapping[str, Any], reasons: Sequence[str], console: Console) -> None:
    """Print the head of a report: scores, gates, and whether the gates passed."""
    console.print(summary_table(head["summary"]))
    if head["gates"]:
        gates = _table("gate", "verdict", "why")
        for gate in head["gates"]:
            named = Text(printable(f"{gate['score']} {gate['stat']}"), overflow="fold")
            gates.add_row(named, _verdict(gate["verdict"]), Text(printable(gate["reason"])))
        console.print(gates)
    for reason in reasons:
        console.print(Text(printable(reason), "yellow"))
    runs, items = counted(head["runs"], "run"), counted(head["items"], "item")
    name = Text(printable(head["name"]), "bold")
    console.print(Text.assemble(name, f": {runs}, {items}: ", _verdict(head["status"])))


def summary_table(summary: Mapping[str, Any]) -> Table:
    """Return a table of the summaries of scores, by name."""
    scores = _table("score", "passed", "interval", "mean", "ok", "n/a", "errors", "skipped")
    for name, one in summary.items():
        counts = (one[status] for status in ("ok", "na", "error", "skipped"))
        scores.add_row(
            Text(printable(name), overflow="fold"),
            _percent(one["pass_rate"]),
            _interval(one),
            _number(one["mean"]),
            *(
                Text(f"{count:,}", "bold red" if at == 2 and count else "")
                for at, count in enumerate(counts)
            ),
        )
    return scores


def render_comparison(compared: Mapping[str, Any], console: Console) -> None:
    """Print a comparison: each score, then the items that only one report has."""
    table = _table("score", "n", "A", "B", "difference", "interval", "p (Holm)", "verdict")
    for one in compared["scores"]:
        table.add_row(
            Text(printable(one["score"]), overflow="fold"),
            Text(f"{one['n']:,}"),
            *(_number(one[key]) for key in ("a", "b", "difference")),
            _interval(one),
            _number(one["p_holm"]),
            _verdict(one["verdict"]),
        )
    console.print(table)
    only = {"A": compared["only_a"], "B": compared["only_b"]}
    rest = "".join(f", {len(items):,} only in {side}" for side, items in only.items() if items)
    console.print(Text(f"{counted(compared['common'], 'common item')}{rest}"))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for at, name in enumerate(columns):
        is_number = at > 0 and name not in ("verdict", "why")
        table.add_column(name, justify="right" if is_number else "left")
    return table


def _verdict(verdict: str) -> Text:
    return Text(verdict.replace("_", " "), _STYLES[verdict])


def _percent(share: float | None) -> Text:
    return Text("" if share is None else f"{share:.1%}")


def _number(value: float | None) -> Text:
    return Text("" if value is None else number(value))


def _interval(one: Mapping[str, Any]) -> Text:
    ends: Iterable[float | None] = (one["low"], one["high"])
    if None in ends:
        return Text()
    low, high = (_number(one[end]).plain for end in ("low", "high"))
    return Text(f"{low} to {high}", "dim")
