"""Whole lists as the API writes them, line by line or as CSV; runs in a process of its own."""

from __future__ import annotations

import asyncio
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.apart import Usage, peak_rss_bytes
from spanloom.api.http.bounds import BoundedCalls
from spanloom.api.rows.columns import columns_of
from spanloom.api.rows.forms import Csv, Ndjson
from spanloom.api.rows.stream import Rows, stream_rows
from spanloom.core.model.access import Reach
from spanloom.core.records.run import Run
from spanloom.core.records.step import StepRow
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanloom.api.rows.forms import Form
    from spanloom.storage.store import ClickHouseStore

MOST_STEPS = 100_000
_TIMEOUT_S = 60.0


class Exported(NamedTuple):
    """The cost of a whole list."""

    cpu_s: float
    wall_s: float
    rows: int
    size: int
    """Bytes written."""
    grown: int
    """Growth of the peak memory, in bytes, since the first page of the first list."""


def export_everything(path: Path) -> Mapping[str, Exported]:
    """Return the cost of each list in each form, keyed by ``runs, text/csv`` and the like."""
    with closing(open_store(f"chdb://{path}")) as store:
        store.runs.list(Reach.ALL, None, 1_000)
        before = peak_rss_bytes()
        return {
            f"{of}, {form.media_type}": asyncio.run(_export(store, of, form, before))
            for of in ("runs", "steps")
            for form in (Ndjson, Csv)
        }


async def _export(store: ClickHouseStore, of: str, form: type[Form], before: int) -> Exported:
    shown: list[None] = []
    size, start = 0, Usage.now()
    calls = BoundedCalls(1, _TIMEOUT_S)
    response = await stream_rows(_rows_of(store, of, shown), form, calls)
    async for piece in response.body_iterator:
        size += len(piece)
    used = Usage.now().since(start)
    calls.close()
    return Exported(used.cpu_s, used.wall_s, len(shown), size, peak_rss_bytes() - before)


def _rows_of(store: ClickHouseStore, of: str, shown: list[None]) -> Rows[Any, Any]:
    """Return a whole list; each row that is written adds an item to ``shown``."""
    is_runs = of == "runs"
    model: Any = Run if is_runs else StepRow

    def show(line: Any) -> Any:
        shown.append(None)
        return line.run if is_runs else line.row

    read = partial(store.runs.list if is_runs else store.steps.list, Reach.ALL, None)
    return Rows(read, show, columns_of(model), None, None if is_runs else MOST_STEPS)
