"""How much is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of spans and seconds; the defaults are what the bars are about."""

    small_spans: int = 196_000
    big_spans: int = 42_000
    repeats: int = 3
    every_ingest: bool = True
    """Whether small and large spans both go over gRPC and HTTP, or each over one of them."""
    extracted_spans: int = 56_000
    sharing: int = 4
    """Extractors that share a server."""
    freshness_s: float = 40.0
    freshness_rate: int = 2_000
    """Spans offered per second."""
    live_s: float = 30.0
    live_rates: tuple[int, ...] = (2_000, 200)
    """Spans offered per second while it is measured what extraction takes of a core."""
    long_trace: int = 100_000
    long_workers: tuple[str, ...] = ("0", "1", "2", "default")
    """Numbers of workers that build it."""
    indexed_s: float = 10.0
    """How long memory is watched once the long trace is whole: its texts are indexed then."""
    short_trace: int = 1_000
    settled_traces: tuple[int, int] = (10_000, 1_000_000)
    announcements: int = 1_000_000
    """What the change feed keeps."""
    searched_texts: int = 1_000_000
    asked_runs: int = 70_000
    """With a million steps."""
    asked_times: int = 9
    """How often each question is asked; the median counts."""
    compared_steps: tuple[int, int] = (1_000, 100_000)
    judged_steps: tuple[int, int] = (30, 10_000)
    compared_runs: int = 10_000
    """Of each of two sets whose behaviour is compared."""
    kept_spans: int = 140_000
    """Of which it is measured what they take on the disk."""
    viewed_spans: int = 100_000
    """Of the run that the page shows."""
    scrolled_px: int = 80_000
    page_rests_ms: int = 2_500
    """How long a page is left alone until it has fetched what it may need."""
    rest_s: float = 1.0
    """For so long a service must do nearly nothing before it is asked."""
    converted_runs: tuple[int, int] = (2_000, 100_000)
    """Of two files; how much more memory the longer one takes to convert."""
    all_captures: bool = True
    """Whether formats are measured on all captured runs, or on one of each dialect."""
    passes: int = 3
    """How often each format writes and reads all, of which the fastest counts."""
    starts: int = 9
    """Of Python, of which the fastest counts."""
    quiet_s: float = 1.5
    """How long no merge must have run to believe that none will."""


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
