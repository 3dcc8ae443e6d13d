"""Aggregates of any time range, filter and grouping are the sums over the runs' documents."""

from __future__ import annotations

import secrets
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.filters import filtered
from tests.support.generated_runs import generate_records
from tests.support.interval_starts import start_of
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import START_NS
from tests.support.where_documents import LOOPS, Step, flat

from spanloom.core.model.access import Reach
from spanloom.core.query.intervals import parse_interval
from spanloom.core.query.stats import Numbers, parse_by, parse_metrics
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.parser import parse_steps_where, parse_where

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.ports.store import Store
    from spanloom.core.query.intervals import Interval
    from spanloom.storage.store import ClickHouseStore

Document = dict[str, Any]
SECOND = 10**9
METRICS = "count,sum(duration),sum(input_tokens)"
OF_STEPS: Mapping[str, Callable[[Step], bool]] = {
    "": lambda _: True,
    "type = tool": lambda step: step["type"] == "tool",
    "type = model and not error": lambda s: s["type"] == "model" and "error" not in s["basic_info"],
    'owner = "refunds" or duration > 2s': lambda step: (
        step["owner"] == "refunds" or int(step["basic_info"]["duration"]) > 2_000
    ),
}
RUNS_BY: Mapping[str, Callable[[Document], object]] = {
    "": lambda _: None,
    "environment": lambda document: document["extraction"].get("environment"),
    "root_name": lambda document: document["root_step"]["name"],
}
STEPS_BY: Mapping[str, Callable[[Step], object]] = {
    "": lambda _: None,
    "type": lambda step: step["type"],
    "name": lambda step: step["name"],
    "owner": lambda step: step["owner"],
}


class Stored(NamedTuple):
    """The same runs in both stores, and their documents."""

    reach: Reach
    stores: Sequence[Store]
    documents: Sequence[Document]


@pytest.fixture(scope="module")
def stored(clickhouse_store: ClickHouseStore) -> Stored:
    project = f"p-{secrets.token_hex(4)}"
    records, stores = generate_records(60, project, seed=3), (clickhouse_store, MemoryStore())
    for store in stores:
        store.trajectories.write(records)
    return Stored(Reach.only(project), stores, [orjson.loads(one.document) for one in records])


INTERVALS = st.none() | st.builds(
    parse_interval,
    st.sampled_from(["7s", "1m", "45m", "6h", "1d", "1w"]),
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]),
)
SECONDS = st.none() | st.integers(-5, 105)


@settings(max_examples=20)
@given(
    where=st.sampled_from(["", *LOOPS]),
    steps_where=st.none() | st.sampled_from(list(OF_STEPS)),
    runs_by=st.sampled_from(list(RUNS_BY)),
    steps_by=st.sampled_from(list(STEPS_BY)),
    interval=INTERVALS,
    since=SECONDS,
    until=SECONDS,
)
def test_numbers_are_sums_over_documents(
    stored: Stored,
    where: str,
    steps_where: str | None,
    runs_by: str,
    steps_by: str,
    interval: Interval | None,
    since: int | None,
    until: int | None,
) -> None:
    ends = [None if end is None else START_NS + end * SECOND for end in (since, until)]
    runs = [d for d in stored.documents if _is_within(d, *ends) and (not where or LOOPS[where](d))]
    of, by = (Subject.RUN, runs_by) if steps_where is None else (Subject.STEP, steps_by)
    expected: dict[Any, list[Any]] = defaultdict(list)
    for run in runs:
        at = start_of(interval, _start_ns(run)) if interval else None
        if steps_where is None:
            expected[at, RUNS_BY[by](run)].append(_of_run(run))
            continue
        for step in filter(OF_STEPS[steps_where], flat(run)):
            expected[at, STEPS_BY[by](step)].append(_of_step(step))
    if not by and not interval:
        expected.setdefault((None, None), [])
    asked = Numbers(
        of,
        parse_metrics(METRICS, of),
        parse_by(by, of),
        interval,
        where=parse_where(where, 0) if where else None,
        steps_where=parse_steps_where(steps_where, 0) if steps_where else None,
    )
    chosen = filtered(**{k: v for k, v in zip(("since", "until"), ends, strict=True) if v})
    for store in stored.stores:
        groups = store.stats.numbers(stored.reach, chosen, asked)
        found = {(g.start_ns, g.by[0] if g.by else None): list(g.values) for g in groups}
        assert found == {key: _sums(rows) for key, rows in expected.items()}


def _start_ns(document: Document) -> int:
    return int(document["root_step"]["basic_info"]["started_at"]) * 10**6


def _is_within(document: Document, since: int | None, until: int | None) -> bool:
    start = _start_ns(document)
    return (since is None or since <= start) and (until is None or start < until)


def _of_run(document: Document) -> tuple[int, int | None]:
    root = document["root_step"]
    return int(root["basic_info"]["duration"]), root["metrics_info"]["input_tokens"]


def _of_step(step: Step) -> tuple[int, int | None]:
    tokens = step["model_info"]["input_tokens"] if step["type"] == "model" else None
    return int(step["basic_info"]["duration"]), tokens


def _sums(rows: Sequence[Sequence[int | None]]) -> list[int | None]:
    """Return the number of rows, and the sum of each value; None if no row has it."""
    values = [[value for row in rows if (value := row[n]) is not None] for n in range(2)]
    return [len(rows), *(sum(some) if some else None for some in values)]
