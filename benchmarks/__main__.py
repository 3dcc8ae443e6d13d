"""``python -m benchmarks``: every measure of this directory, as ratios within one run."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchmarks.building import measure_building
from benchmarks.comparing import measure_comparing
from benchmarks.conversation import measure_conversation
from benchmarks.disk import measure_disk
from benchmarks.evaluating import measure_evaluating
from benchmarks.exchanging import measure_exchange
from benchmarks.extraction import measure_extraction
from benchmarks.feed import measure_feed
from benchmarks.freshness import measure_freshness
from benchmarks.growth import measure_growth
from benchmarks.ingest import measure_ingest
from benchmarks.judging import measure_judging
from benchmarks.language import measure_language
from benchmarks.live import measure_live
from benchmarks.long_run import measure_long_run
from benchmarks.online import measure_online
from benchmarks.outside import measure_outside
from benchmarks.overview import measure_overview
from benchmarks.questions import measure_questions
from benchmarks.report import print_rows, write_json
from benchmarks.scale import QUICK, Scale
from benchmarks.search import measure_search
from benchmarks.shared import measure_shared
from benchmarks.sweep import measure_sweep
from benchmarks.viewer import measure_viewer
from benchmarks.workers import measure_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.report import Row

MEASURES: dict[str, Callable[[Scale, Path], Iterator[Row]]] = {
    "ingest": measure_ingest,
    "build": measure_building,
    "extract": measure_extraction,
    "workers": measure_workers,
    "shared": measure_shared,
    "online": measure_online,
    "outside": measure_outside,
    "freshness": measure_freshness,
    "live": measure_live,
    "growth": measure_growth,
    "long-run": measure_long_run,
    "sweep": measure_sweep,
    "feed": measure_feed,
    "search": measure_search,
    "language": measure_language,
    "questions": measure_questions,
    "overview": measure_overview,
    "disk": measure_disk,
    "viewer": measure_viewer,
    "conversation": measure_conversation,
    "judging": measure_judging,
    "exchange": measure_exchange,
    "evaluate": measure_evaluating,
    "behaviour": measure_comparing,
}


@click.command()
@click.option(
    "--only", type=click.Choice(list(MEASURES)), multiple=True, help="Run only this measure."
)
@click.option("--quick", is_flag=True, help="A smoke test: everything once, with very few spans.")
@click.option("--repeats", type=click.IntRange(1), help="Number of runs; the median counts.")
@click.option(
    "--json", "json_path", type=click.Path(path_type=Path), help="Also write a JSON file."
)
@click.option("--verbose", is_flag=True, help="Print where the time is spent.")
def main(
    only: Sequence[str], quick: bool, repeats: int | None, json_path: Path | None, verbose: bool
) -> None:
    """Measure what Spanloom costs and print the values with the limits that they have to meet."""
    scale = QUICK if quick else Scale()
    if repeats is not None:
        scale = replace(scale, repeats=repeats)
    rows: list[Row] = []
    for name in only or MEASURES:
        click.echo(f"measuring {name} …", err=True)
        with tempfile.TemporaryDirectory(prefix="spanloom-benchmarks-") as folder:
            rows += MEASURES[name](scale, Path(folder))
    print_rows(rows, is_quick=quick, is_verbose=verbose)
    if json_path is not None:
        write_json(json_path, rows, is_quick=quick)


if __name__ == "__main__":
    main()
