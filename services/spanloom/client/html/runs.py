"""A list of runs as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.html.page import MAX_BYTES, MAX_ROWS, coloured, framed, note, size, table, text
from spanloom.core.showing.values import duration, instant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.records.run import Run

_TITLES = ("run", "asked", "answered", "went", "began", "took", "tokens", "trace id")
_COLOURS = {"failed": "#c00", "recovered": "#a60", "paused": "#07a", "cancelled": "#808"}
_FRAME_BYTES = 2_000
"""Reserved for the HTML around the rows."""


def runs_html(runs: Sequence[Run], *, has_more: bool = False) -> str:
    """Return a table of at most 200 runs and 100 KB; a note below says if there are more."""
    rows = list(_fitting(runs[:MAX_ROWS]))
    shown = table(_TITLES, rows) if rows else note("no runs")
    is_cut = has_more or len(rows) < len(runs)
    return framed(shown, note(f"the first {len(rows)} runs; there are more") if is_cut else "")


def _fitting(runs: Sequence[Run]) -> Iterator[Sequence[str]]:
    left = MAX_BYTES - _FRAME_BYTES
    for run in runs:
        row = _row(run)
        left -= size(table((), [row]))
        if left < 0:
            return
        yield row


def _row(run: Run) -> Sequence[str]:
    return (
        text(run.root_name, 60),
        text(run.question, 100),
        text(run.answer, 100),
        coloured(text(run.outcome, 20), _COLOURS.get(run.outcome, "")),
        text(instant(run.started_at)),
        text(duration(run.duration)),
        f"{run.input_tokens:,} → {run.output_tokens:,}",
        text(run.trace_id, 32),
    )
