"""The cost of ten online rules compared with ingest: each selects a tenth of the announced runs."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import orjson

from benchmarks.apart import Usage, run_apart
from benchmarks.filling import batches_of, make_store
from benchmarks.load import write_requests
from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, make_requests
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.metrics import Metrics
from spanloom.online.current import CurrentRules
from spanloom.online.follower import OnlineFollower
from spanloom.online.service import OnlineRules
from spanloom.online.worker import OnlineWorker
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale
    from spanloom.storage.store import ClickHouseStore

RULES = 10
MAX_SHARE = 0.05
SAMPLE = 0.1
EVALUATORS = [{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4, "tokens": 10**6}}]


class Cost(NamedTuple):
    """CPU-seconds, and the number of runs."""

    ingest_s: float
    """CPU-seconds of storing spans and building their runs."""
    taking_s: float
    judging_s: float
    runs: int
    judged: int


def measure_online(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield the cost of selecting runs, as a share of ingest; the cost of judging is shown too."""
    write_requests(folder / "requests", list(make_requests(SMALL, scale.extracted_spans)))
    costs = [
        run_apart(judge_all, folder / f"online-{n}", folder / "requests")
        for n in range(scale.repeats)
    ]
    shares = [one.taking_s / one.ingest_s for one in costs]
    typical = costs[shares.index(sorted(shares)[len(shares) // 2])]
    yield Row(
        f"{RULES} online rules take in a tenth of runs: CPU time ÷ ingest",
        median(shares),
        at_most(MAX_SHARE),
        f"{typical.runs:,} runs: {typical.ingest_s:.2f} CPU-s to store and build them, "
        f"{typical.taking_s:.3f} to take them in, {typical.judging_s:.3f} for "
        f"{typical.judged:,} judgements",
    )


def judge_all(store_path: Path, requests_path: Path) -> Cost:
    """Ingest all requests, then select and judge all runs, as the components do."""
    configure_logging("warning")
    favour_speed()
    url = make_store(store_path)
    store, metrics = open_store(url), Metrics()
    _put_rules(store)
    extractor = Extractor(store, metrics, Timing(no_root_quiet_s=0))
    start, runs = Usage.now(), 0
    for batch in batches_of(requests_path):
        store.spans.append(batch)
    while built := extractor.run_once():
        runs += built
    ingested = Usage.now()
    rules = CurrentRules(store.online_rules)
    follower = OnlineFollower(store, rules, metrics)
    while follower.run_once():
        pass
    taken = Usage.now()
    worker, judged = OnlineWorker(store, rules, metrics), 0
    while done := worker.run_once():
        judged += done
    ended = Usage.now()
    store.close()
    return Cost(
        ingested.since(start).cpu_s,
        taken.since(ingested).cpu_s,
        ended.since(taken).cpu_s,
        runs,
        judged,
    )


def _put_rules(store: ClickHouseStore) -> None:
    rules = OnlineRules(store.online_rules, store.followers, store.feed)
    evaluators = orjson.dumps(EVALUATORS).decode()
    for number in range(RULES):
        where = f'steps > {number} and (duration > 1ms or has(tool ~ "^s"))'
        rule = {"where": where, "evaluators": evaluators, "sample": SAMPLE}
        rules.put("default", f"rule {number}", rule, "benchmarks")
