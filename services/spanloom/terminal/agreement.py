"""Prints the agreement of an evaluator with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from spanloom.core.showing.values import counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

_FIGURES = {
    "accuracy": "accuracy",
    "kappa": "Cohen's kappa",
    "kappa_linear": "weighted, linear",
    "kappa_quadratic": "weighted, quadratic",
    "alpha": "Krippendorff's alpha",
}


def render_agreement(agreement: Mapping[str, Any], console: Console) -> None:
    """Print the statistics, then the confusion matrix, whose rows are the labels of people."""
    figures = Table(box=None, pad_edge=False, show_header=False)
    for name, title in _FIGURES.items():
        value, why = agreement[name], agreement["reasons"].get(name, "")
        between = name == "kappa" and agreement["low"] is not None
        note = f"{agreement['low']:.4f} to {agreement['high']:.4f}" if between else why
        shown = "" if value is None else f"{value:.4f}"
        figures.add_row(title, Text(shown, "bold"), Text(printable(note), "dim"))
    console.print(figures)
    if agreement["confusion"]:
        console.print(_confusion(agreement))
    rest = {
        "only_evaluator": "only the evaluator judged",
        "only_people": "only people judged",
        "undecided": "on which people have no majority",
    }
    noun = "step" if agreement["unit"] == "step" else "run"
    notes = "".join(
        f", {agreement[key]:,} {words}" for key, words in rest.items() if agreement[key]
    )
    console.print(Text(printable(f"{counted(agreement['n'], noun)} compared{notes}")))


def _confusion(agreement: Mapping[str, Any]) -> Table:
    counts = {(one["human"], one["evaluator"]): one["units"] for one in agreement["confusion"]}
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("people \\ evaluator")
    for label in agreement["labels"]:
        table.add_column(Text(printable(str(label))), justify="right")
    table.add_column("base rate", justify="right")
    for human in agreement["labels"]:
        cells = [f"{counts.get((human, label), 0):,}" for label in agreement["labels"]]
        rate = agreement["base_rate"].get(str(human), 0.0)
        table.add_row(Text(printable(str(human))), *cells, f"{rate:.1%}")
    return table
