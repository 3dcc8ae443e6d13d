"""Queries of a month of runs, a million steps: pages, shapes, statistics, documents, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.apart import run_apart
from benchmarks.asking import ask_everything
from benchmarks.exporting import export_everything
from benchmarks.month import fill_month
from benchmarks.report import Row, at_least, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.exporting import Exported
    from benchmarks.scale import Scale

PAGES = {
    "newest": "the newest page",
    "deep": "a page far behind",
    "oldest": "the oldest page",
    "filters": "a page with three filters",
    "nothing": "a page of which nothing is",
    "shape": "a page of runs with a shape",
}
"""Pages that have the same limit, whatever their filter."""
RANKED = {
    "costliest of a week": "the costliest of a week",
    "costliest": "the costliest of all",
    "longest": "the longest of all",
}
"""Lists ordered by cost or duration, whose rows are therefore scattered over the table."""
MAX_PAGE_MS = 50.0
MAX_RANKED_MS = 120.0
MAX_DOCUMENT_MS = 20.0
MIB = 2**20


def measure_questions(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield the cost of each query; the store is filled and read in processes of their own."""
    path = folder / "month"
    steps = run_apart(fill_month, path, scale.asked_runs, scale.quiet_s)
    exported = run_apart(export_everything, path)
    cpu_s = run_apart(ask_everything, path, scale.asked_runs, scale.asked_times)
    yield from _pages(cpu_s, f"{steps:,} steps")
    yield from _beside_rows(cpu_s)
    yield _ratio(cpu_s, "a day's numbers with a third deleted", "day, deleted", "day", 2.0)
    yield Row(
        "document by id: store CPU",
        cpu_s["document"] * 1e3,
        at_most(MAX_DOCUMENT_MS, "ms"),
        "of any project",
    )
    yield from _exports(exported)


def _pages(cpu_s: Mapping[str, float], of: str) -> Iterator[Row]:
    for pages, limit in ((PAGES, MAX_PAGE_MS), (RANKED, MAX_RANKED_MS)):
        for name, title in pages.items():
            one, every = cpu_s[f"{name}, one"] * 1e3, cpu_s[f"{name}, all"] * 1e3
            behind = f"of all projects; of the busiest {one:.0f} ms; among {of}"
            yield Row(f"{title}: store CPU", every, at_most(limit, "ms"), behind)


def _beside_rows(cpu_s: Mapping[str, float]) -> Iterator[Row]:
    """Yield the cost of queries of Spanloom's arrays, compared with a table of one row per step."""
    yield _ratio(cpu_s, "a shape over all runs", "shapes", "shapes of rows", 0.4)
    yield _ratio(cpu_s, "p95 by model of one day", "day", "day of rows", 0.25)
    yield _ratio(cpu_s, "p95 by model of a month", "month", "month of rows", 0.6)
    yield _ratio(cpu_s, "a page of failed tool calls", "steps, all", "steps of rows", 0.4)


def _ratio(cpu_s: Mapping[str, float], title: str, asked: str, other: str, limit: float) -> Row:
    one, two = cpu_s[asked], cpu_s[other]
    behind = f"{one * 1e3:.0f} ms, {two * 1e3:.0f} ms"
    return Row(f"{title}: CPU by that of {other}", one / two, at_most(limit), behind)


def _exports(exported: Mapping[str, Exported]) -> Iterator[Row]:
    for name, took in exported.items():
        behind = f"{took.rows:,} rows, {took.size / MIB:.0f} MiB in {took.wall_s:.1f} s"
        rate = took.rows / took.cpu_s
        yield Row(f"export of {name}: rows per CPU-second", rate, at_least(5_000), behind)
    grown = max(took.grown for took in exported.values())
    size = sum(took.size for took in exported.values())
    behind = f"{size / MIB:,.0f} MiB written"
    yield Row("exports: growth of peak RSS", grown / MIB, at_most(200, "MiB"), behind)
