"""The amounts that are measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of spans and seconds; the limits apply to the defaults."""

    small_spans: int = 196_000
    big_spans: int = 42_000
    repeats: int = 3
    every_ingest: bool = True
    """Whether small and large spans are both sent over gRPC and HTTP, or each over one of them."""
    extracted_spans: int = 56_000
    sharing: int = 4
    """Number of extractors that share a server."""
    freshness_s: float = 40.0
    freshness_rate: int = 2_000
    """Spans sent per second while freshness is measured."""
    live_s: float = 30.0
    live_rates: tuple[int, ...] = (2_000, 200)
    """Spans sent per second while the CPU cores used by extraction are measured."""
    long_trace: int = 100_000
    long_workers: tuple[str, ...] = ("0", "1", "2", "default")
    """Numbers of workers that build the long trace."""
    indexed_s: float = 10.0
    """Seconds for which memory is measured while texts of the complete long trace are indexed."""
    short_trace: int = 1_000
    settled_traces: tuple[int, int] = (10_000, 1_000_000)
    announcements: int = 1_000_000
    """Number of announcements in the change feed."""
    searched_texts: int = 1_000_000
    asked_runs: int = 70_000
    """Number of runs that are queried; they have a million steps."""
    asked_times: int = 9
    """Repetitions of each query; the median counts."""
    compared_steps: tuple[int, int] = (1_000, 100_000)
    judged_steps: tuple[int, int] = (30, 10_000)
    compared_runs: int = 10_000
    """Number of runs in each of two sets whose behaviour is compared."""
    kept_spans: int = 140_000
    """Number of spans whose disk space is measured."""
    viewed_spans: int = 100_000
    """Number of spans of the run that the page shows."""
    scrolled_px: int = 80_000
    page_rests_ms: int = 2_500
    """Milliseconds in which a page fetches all that it needs after it was opened."""
    rest_s: float = 1.0
    """Seconds for which a service must be nearly idle before the measurement."""
    converted_runs: tuple[int, int] = (2_000, 100_000)
    """Numbers of runs of two files; the memory of their conversions is compared."""
    all_captures: bool = True
    """Whether formats are measured on all captured runs, or on one of each dialect."""
    passes: int = 3
    """Passes of each format over all runs; the fastest counts."""
    starts: int = 9
    """Starts of Python to import the package; the fastest counts."""
    quiet_s: float = 1.5
    """Seconds without a merge after which no further merge is expected."""


QUICK = Scale(
    small_spans=1_400,
    big_spans=280,
    repeats=1,
    every_ingest=False,
    extracted_spans=700,
    sharing=2,
    freshness_s=1.0,
    freshness_rate=280,
    live_s=0.5,
    live_rates=(280,),
    long_trace=1_000,
    long_workers=("default",),
    indexed_s=0.1,
    short_trace=100,
    settled_traces=(500, 1_000),
    announcements=5_000,
    searched_texts=4_000,
    asked_runs=200,
    asked_times=1,
    compared_steps=(100, 200),
    judged_steps=(30, 300),
    compared_runs=50,
    kept_spans=700,
    viewed_spans=200,
    scrolled_px=4_000,
    page_rests_ms=500,
    rest_s=0.1,
    converted_runs=(10, 20),
    all_captures=False,
    passes=1,
    starts=1,
    quiet_s=0.1,
)
