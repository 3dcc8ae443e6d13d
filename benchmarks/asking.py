"""Queries of a store with a month of runs, as the API makes them; runs in a process of its own."""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from tests.support.filters import filtered

from benchmarks.apart import Usage
from benchmarks.engine import open_engine
from benchmarks.runs import BUSIEST, DAY, DAYS, FIRST_NS, Runs
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.steps import StepSelection
from spanloom.core.query.selection import RunSelection, parse_order
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition
    from spanloom.storage.store import ClickHouseStore

PAGE = 51
"""A page of 50, and one more that shows whether there is another page."""
ALL = None
A_WEEK = filtered(since=FIRST_NS + 9 * DAY, until=FIRST_NS + 16 * DAY)
FROM_NS, UNTIL_NS = FIRST_NS + 9 * DAY, FIRST_NS + 10 * DAY
A_DAY = filtered(since=FROM_NS, until=UNTIL_NS)
SHAPE = 'has(tool = "search" then tool = "refund")'
FILTERS = 'agent = "refunds" and has_error and steps > 20'
FAILED = 'tool = "search" and error'

SHAPE_OF_ROWS = """
SELECT count() FROM (
    SELECT minIf(StartTimeUnixNano, Type = 'tool' AND Name = 'search') AS First,
           maxIf(StartTimeUnixNano, Type = 'tool' AND Name = 'refund') AS Last
    FROM steps FINAL GROUP BY Project, TraceId
    HAVING First > 0 AND Last > First
)
"""
DAY_OF_ROWS = f"""
SELECT Model, quantile(0.95)(DurationNs) / 1e6, count() FROM steps FINAL
WHERE Type = 'model' AND StartTimeUnixNano >= {FROM_NS}
  AND StartTimeUnixNano < {UNTIL_NS}
GROUP BY Model
"""
MONTH_OF_ROWS = """
SELECT Model, quantile(0.95)(DurationNs) / 1e6, count() FROM steps FINAL
WHERE Type = 'model' GROUP BY Model
"""
STEPS_OF_ROWS = f"""
SELECT * FROM steps FINAL WHERE Type = 'tool' AND Name = 'search' AND HasError
ORDER BY StartTimeUnixNano DESC LIMIT {PAGE}
"""


def ask_everything(path: Path, count: int, times: int) -> Mapping[str, float]:
    """Return the median CPU-seconds of each query, keyed by its name."""
    runs, cost = Runs.of(count), partial(_cost, times)
    with closing(open_store(f"chdb://{path}")) as store:
        costs: dict[str, float] = {}
        for name, reach in (("one", Reach.only(BUSIEST)), ("all", Reach.ALL)):
            costs |= {f"{what}, {name}": cost(ask) for what, ask in _pages(store, reach).items()}
        costs |= {what: cost(ask) for what, ask in _numbers(store, path).items()}
        numbers = iter(range(count // 10, count, max(count // 50, 1)))
        costs["document"] = cost(
            lambda: store.documents.get(runs.key(next(numbers)).trace_id, Reach.ALL)
        )
        _delete_some(store, runs)
        costs["day, deleted"] = cost(partial(store.stats.numbers, Reach.ALL, A_DAY, _by_model()))
    return costs


def _pages(store: ClickHouseStore, reach: Reach) -> Mapping[str, Callable[[], object]]:
    def page(
        asked: str = "", order: str = "-start", where: Condition | None = ALL
    ) -> Sequence[ListedRun]:
        parsed = parse_where(asked, 0) if asked else None
        return store.runs.list(reach, where, PAGE, None, RunSelection(parsed, parse_order(order)))

    middle = filtered(until=FIRST_NS + DAYS // 2 * DAY)
    deep = store.runs.list(reach, middle, PAGE)[-1].cursor
    failed = StepSelection(parse_steps_where(FAILED, 0))
    return {
        "newest": page,
        "deep": partial(store.runs.list, reach, ALL, PAGE, deep),
        "filters": partial(page, FILTERS),
        "nothing": partial(page, "input_tokens > 900000000 and has_error"),
        "shape": partial(page, SHAPE),
        "oldest": partial(page, order="start"),
        "costliest of a week": partial(page, order="-cost", where=A_WEEK),
        "costliest": partial(page, order="-cost"),
        "longest": partial(page, order="-duration"),
        "steps": partial(store.steps.list, reach, ALL, PAGE, None, failed),
    }


def _numbers(store: ClickHouseStore, path: Path) -> Mapping[str, Callable[[], object]]:
    shape = Numbers(Subject.RUN, parse_metrics("count", Subject.RUN), where=parse_where(SHAPE, 0))

    def of_rows(query: str) -> Sequence[Sequence[object]]:
        with open_engine(path) as client:
            client.set_client_setting("max_threads", 2)
            return client.query(query).result_rows

    counted, ((rows,),) = (
        store.stats.numbers(Reach.ALL, ALL, shape)[0].values[0],
        of_rows(SHAPE_OF_ROWS),
    )
    if counted != rows:
        raise AssertionError(f"{counted} runs have the shape by arrays, {rows} by rows")
    return {
        "shapes": partial(store.stats.numbers, Reach.ALL, ALL, shape),
        "shapes of rows": partial(of_rows, SHAPE_OF_ROWS),
        "day": partial(store.stats.numbers, Reach.ALL, A_DAY, _by_model()),
        "day of rows": partial(of_rows, DAY_OF_ROWS),
        "month": partial(store.stats.numbers, Reach.ALL, ALL, _by_model()),
        "month of rows": partial(of_rows, MONTH_OF_ROWS),
        "steps of rows": partial(of_rows, STEPS_OF_ROWS),
    }


def _by_model() -> Numbers:
    metrics = parse_metrics("p95(duration),count", Subject.STEP)
    models = parse_steps_where("type = model", 0)
    return Numbers(Subject.STEP, metrics, parse_by("model", Subject.STEP), steps_where=models)


def _delete_some(store: ClickHouseStore, runs: Runs) -> None:
    """Delete a third of the runs of the busiest project."""
    before = DeletionScope(Reach.only(BUSIEST), start_before_ns=runs.start_ns(runs.count // 3))
    store.deletions.delete(new_deletion(before, "benchmarks", time.time_ns()))


def _cost(times: int, ask: Callable[[], object]) -> float:
    """Return the median CPU-seconds of a query, after an unmeasured first one."""
    ask()
    used = []
    for _ in range(times):
        start = Usage.now()
        ask()
        used.append(Usage.now().since(start).cpu_s)
    return sorted(used)[times // 2]
