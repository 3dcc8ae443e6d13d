"""Shapes, summaries of runs: the condition of a feature finds the runs counted; newest first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.contract.test_stores_agree import extracted
from tests.support.ground_truth import all_captures
from tests.support.otlp_requests import spooled

from spanloom.core.model.access import Reach
from spanloom.core.query.selection import RunSelection
from spanloom.core.query.where.parser import parse_where
from spanloom.evaluation.comparison.features import NUMBERS
from spanloom.evaluation.comparison.observing import observe

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore

DIALECTS = {"eino-apmplus", "other-strands", "openlit"}


@pytest.mark.nightly
def test_every_line_opens_the_runs_that_were_counted(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    project = new_project()
    captures = [c for c in all_captures() if c.dialect in DIALECTS]
    extracted(clickhouse_store, [spooled(body, project) for c in captures for body in c.requests()])
    reach = Reach.only(project)
    shapes = clickhouse_store.stats.shapes(reach, None, 1_000)
    observed = [observe(shape) for shape in shapes]
    counts = Counter(feature for run in observed for feature in run.features)
    kinds = {feature.kind for feature in counts}
    assert kinds >= {"outcome", "tool", "tool_again", "agent", "transition", "failure"}
    lines = {feature.line: count for feature, count in counts.items()}
    lines |= {n.line: sum(n.name in run.numbers for run in observed) for n in NUMBERS}
    for line, count in lines.items():
        selection = RunSelection(parse_where(line, now_ns=0))
        assert len(clickhouse_store.runs.list(reach, None, 1_000, None, selection)) == count, line


def test_a_condition_and_a_limit_choose_the_newest(
    clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    project = new_project()
    captures = [c for c in all_captures() if c.dialect == "openlit"]
    extracted(clickhouse_store, [spooled(body, project) for c in captures for body in c.requests()])
    reach = Reach.only(project)
    listed = [line.key.trace_id for line in clickhouse_store.runs.list(reach, None, 1_000)]
    assert [s.trace_id for s in clickhouse_store.stats.shapes(reach, None, 2)] == listed[:2]
    where = parse_where(f'trace_id = "{listed[1]}"', now_ns=0)
    (only,) = clickhouse_store.stats.shapes(reach, where, 9)
    assert only.trace_id == listed[1]
