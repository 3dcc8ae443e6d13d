"""Spans and trajectories expire separately by their project's terms; other projects' rows stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.contract.test_deletions import fill
from tests.unit.storage.test_deleted_rows import rows_of

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import Kind, RetentionPlan, Terms
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.tables import TABLES
from spanloom.storage.upkeep.retention import (
    EXPIRING,
    KEEPING,
    keep_annotated,
    remove_expired,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.storage.store import ClickHouseStore

DAY_S = 24 * 3600
OF_SPANS = {t for t, expiry in EXPIRING.items() if expiry.kind is Kind.SPANS} - {"genai_events"}
MUTATIONS = "SELECT count() FROM system.mutations WHERE database = currentDatabase()"


@pytest.fixture
def keys(clickhouse_store: ClickHouseStore, new_project: Callable[[], str]) -> list[TraceKey]:
    found = [TraceKey(new_project(), "a" * 32) for _ in range(3)]
    for key in found:
        fill(clickhouse_store, key)
    return found


def test_spans_and_trajectories_of_a_project_go_apart_and_others_stay(
    clickhouse_store: ClickHouseStore, keys: list[TraceKey]
) -> None:
    client = clickhouse_store.connections.writer._client
    connection = Connection(client, UPKEEP_SETTINGS)
    spans, both, kept = keys
    ((accepted_s, stored_s),) = client.query(
        "SELECT max(toUnixTimestamp(toDateTime(AcceptedAt))), toUnixTimestamp(now())"
        f" FROM trace_changes WHERE Project = '{kept.project}'"  # other projects share the store
    ).result_rows
    before = rows_of(clickhouse_store, kept.project)
    said = before.keys() & {table.name for table in TABLES if not table.expiry}
    plan = RetentionPlan(
        Terms(), {spans.project: Terms(5, 0), both.project: Terms(5, 5), "nobody's": Terms(1, 1)}
    )
    now_s = max(accepted_s, stored_s)
    assert remove_expired(connection, plan, min(accepted_s, stored_s) + 4 * DAY_S) == 0
    assert remove_expired(connection, plan, now_s + 7 * DAY_S) > 0
    assert rows_of(clickhouse_store, kept.project) == before
    assert rows_of(clickhouse_store, both.project).keys() == said
    assert rows_of(clickhouse_store, spans.project).keys() == before.keys() - OF_SPANS
    mutations = client.query(MUTATIONS).result_rows
    assert remove_expired(connection, plan, now_s + 7 * DAY_S) == 0
    assert client.query(MUTATIONS).result_rows == mutations  # nothing is rewritten again


@pytest.mark.nightly
def test_annotated_trajectories_stay_unless_it_is_said_that_they_go(
    clickhouse_store: ClickHouseStore, keys: list[TraceKey]
) -> None:
    client = clickhouse_store.connections.writer._client
    connection = Connection(client, UPKEEP_SETTINGS)
    kept = keys[0]
    ((now_s,),) = client.query("SELECT toUnixTimestamp(now())").result_rows
    plan = RetentionPlan(Terms(), {kept.project: Terms(0, 5)})
    before = rows_of(clickhouse_store, kept.project)
    assert keep_annotated(connection, plan) > 0
    assert keep_annotated(connection, plan) == 0  # nothing is rewritten again
    remove_expired(connection, plan, now_s + 7 * DAY_S)
    after = rows_of(clickhouse_store, kept.project)
    assert {table: after.get(table) for table in KEEPING} == dict.fromkeys(KEEPING, 1)
    assert all(before[table] > 1 for table in KEEPING)
    assert clickhouse_store.documents.get(kept.trace_id, Reach.only(kept.project))
    assert keep_annotated(connection, replace(plan, keeps_annotated=False)) > 0
    remove_expired(connection, plan, now_s + 7 * DAY_S)
    assert not rows_of(clickhouse_store, kept.project).keys() & set(KEEPING)
    assert rows_of(clickhouse_store, kept.project)["annotations"] == 2
