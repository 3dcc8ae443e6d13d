"""What an older version stored is found after the schema has moved on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.calls import windows
from tests.support.otlp_requests import message_of, spooled, wire_span
from tests.support.trajectory_records import model_step

from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.model.trajectory import Outcome, Status, StepError, Usage
from spanloom.core.ports.building import Extent
from spanloom.core.ports.progress import Progress
from spanloom.core.query.fields import TrajectoryFilter
from spanloom.core.query.question import Question
from spanloom.core.query.where.parser import parse_where
from spanloom.storage.engine import migrate as migrations
from spanloom.storage.engine.lane import REQUEST_SETTINGS, Lane
from spanloom.storage.engine.statements import request_schema, schema_files
from spanloom.storage.progress.store import ClickHouseProgress
from spanloom.storage.replays.store import ClickHouseReplays
from spanloom.storage.runs.calls import ClickHouseCalls
from spanloom.storage.runs.lists import ClickHouseLists
from spanloom.storage.spans.records import FramedRecords
from spanloom.storage.upkeep.layout import Layout
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clickhouse_connect.driver.client import Client
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    from spanloom.core.model.trajectory import Step

OLD_CALLED = """
INSERT INTO trajectory_list (Project, StartTimeUnixNano, TraceId, Seq, Version, Status, RootType)
VALUES ('p', 100, 'old', 1, 1, 'settled', 'agent')
"""
OLD_CALLED_DOCUMENT = """
INSERT INTO trajectories (Project, TraceId, Version, Seq, Status, StartTimeUnixNano, Document)
VALUES ('p', 'old', 1, 1, 'settled', 100, '{}')
"""
OLD_STEP = """
INSERT INTO steps (Project, TraceId, StepId, Seq, Type, StartTimeUnixNano, EndTimeUnixNano, CallKey)
VALUES ('p', 'old', '0000000000000001', 1, 'model', 100, 200, 'said')
"""

PROJECTS_FILE = "project_of_resource"
"""The schema file since which the decoders read the project that intake wrote."""


def old_record(message: ExportTraceServiceRequest, seq: int) -> bytes:
    """Frame a request as the release before the projects file did: the key's project behind it."""
    fields = b"\xc0\x3e" + encode_varint(seq) + b"\xca\x3e\x00"
    body = message.SerializeToString() + fields
    return encode_varint(len(body)) + body


def test_spans_keep_their_project_and_new_ones_get_what_intake_wrote(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = schema_files()
    [cut] = [n for n, file in enumerate(files) if PROJECTS_FILE in file.name]
    lane = Lane(fresh_database, {**REQUEST_SETTINGS, **request_schema(embedded=True)})
    old = message_of([wire_span("ab" * 16, 1)], {"spanloom.project": "told"})
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: files[:cut])
        migrations.migrate(lane)
        for table in ("otlp_requests", "otlp_event_requests"):
            lane.insert_requests(table, [old_record(old, 1)])
    migrations.migrate(lane)
    new = message_of([wire_span("ab" * 16, 2)], {"spanloom.project": "told"})
    for table in ("otlp_requests", "otlp_event_requests"):
        lane.insert_requests(table, FramedRecords([spooled(new, "of the key"), spooled(new)]))
    for table in ("otel_traces", "genai_events"):
        rows = fresh_database.query(f"SELECT Project, count() FROM {table} GROUP BY 1 ORDER BY 1")
        assert rows.result_rows == [("of the key", 1), ("told", 2)]


def lay_out(lane: Lane) -> None:
    layout = Layout(lane)
    while layout.go_on():
        pass


def test_calls_stored_before_the_index_had_times_are_found(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane = Lane(fresh_database)
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: schema_files()[:9])
        migrations.migrate(lane)
        for row in (OLD_CALLED, OLD_CALLED_DOCUMENT, OLD_STEP):
            lane.run(row)
    assert migrations.migrate(lane) == [file.name for file in schema_files()[9:]]
    lay_out(lane)
    store = ClickHouseCalls(lane)
    [call] = store.find_calls("p", windows(["said"], 150, 160))
    assert (call.key, call.dialect) == (TraceKey("p", "old"), "")
    assert store.find_calls("p", windows(["said"], 201, 300)) == []


def test_a_run_laid_out_anew_is_judged_by_its_steps_while_its_old_row_is_there_too(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are of one version: the old row knows of no step, and passes what the other fails."""
    lane = Lane(fresh_database)
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: schema_files()[:9])
        migrations.migrate(lane)
        for row in (OLD_CALLED, OLD_CALLED_DOCUMENT, OLD_STEP):
            lane.run(row)
    migrations.migrate(lane)
    lane.run("SYSTEM STOP MERGES trajectory_list")
    lay_out(lane)
    lists, reach, nothing = ClickHouseLists(lane, lane), Reach.ALL, TrajectoryFilter()
    for where, found in (("has(type = model)", 1), ("not has(type = model)", 0)):
        asked = Question(parse_where(where, 0))
        assert len(lists.list(reach, nothing, 5, None, asked)) == found, where


OLD_STEP_COLUMNS = (
    *("Project", "TraceId", "StepId", "Seq", "Version", "Type", "Model", "InputTokens"),
    *("OutputTokens", "ReasoningTokens", "CacheReadTokens", "CacheCreationTokens", "FirstTokenMs"),
    *("HasError", "ErrorCode", "ErrorType", "ErrorMessage", "Input", "Output", "CallKey"),
)


def old_step(step: Step) -> list[object]:
    """Return a step as a row of the older release, which wrote nothing of how much it tells."""
    error, usage = step.error, step.usage or Usage()
    failed = [error.code, error.type, error.message] if error else [0, "", ""]
    at = ["p", "old", step.id, 1, 1, "model", step.model]
    texts = [step.input, step.output, "k" if step.id.endswith("2") else ""]
    return [*at, *usage, step.first_token_ms, error is not None, *failed, *texts]


def test_steps_stored_before_richness_was_are_as_rich_as_when_built_again(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each of two traces would find the other one poorer than itself, for ever."""
    lane = Lane(fresh_database)
    [cut] = [n for n, file in enumerate(schema_files()) if "reports_of_tools" in file.name]
    told = [model_step(2), model_step(3, error="busy"), model_step(4)._replace(usage=None)]
    told[2] = told[2]._replace(input="", first_token_ms=None, error=StepError(-1, "m", "Timeout"))
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: schema_files()[:cut])
        migrations.migrate(lane)
        for row in (OLD_CALLED, OLD_CALLED_DOCUMENT):
            lane.run(row)
        lane.insert("steps", OLD_STEP_COLUMNS, map(old_step, told))
    migrations.migrate(lane)
    lay_out(lane)
    [call] = ClickHouseCalls(lane).find_calls("p", windows(["k"], 0, 2**63))
    assert call.extent == Extent(3, 0, sum(step.richness for step in told))


def fill_and_upgrade(
    lane: Lane, monkeypatch: pytest.MonkeyPatch, known: int, rows: Sequence[str], stopped: int
) -> None:
    """Insert rows as a release of the first ``known`` files, then bring the schema up to date.

    A first try ends behind so many statements of the next file.
    """
    with monkeypatch.context() as before:
        before.setattr(migrations, "schema_files", lambda: schema_files()[:known])
        migrations.migrate(lane)
        for statement in rows:
            lane.run(statement)
    for statement in schema_files()[known].statements[:stopped]:
        lane.run(statement)
    migrations.migrate(lane)


OLD_RUN = """
INSERT INTO trajectory_list
    (Project, StartTimeUnixNano, TraceId, Seq, Version, Status, RootType, ConversationId)
VALUES ('p', 100, 'old', 1, 1, 'settled', 'agent', 'talk')
"""
OLD_TRAJECTORY = """
INSERT INTO trajectories (Project, TraceId, Version, Seq, Status, StartTimeUnixNano)
VALUES ('p', 'old', 1, 1, 'settled', 100)
"""
OLD_REPLAYS = "INSERT INTO replays (Id, Project) VALUES ('1', 'p'), ('2', NULL)"
BEFORE_REACH = next(f.number for f in schema_files() if "project_leads" in f.name) - 1


@pytest.mark.parametrize("statements", [0, 1, 3, 5, 6])
def test_conversations_and_replays_stored_before_the_project_led_are_found(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    """Also when the upgrade was stopped after some statements and began again."""
    lane = Lane(fresh_database)
    fill_and_upgrade(
        lane, monkeypatch, BEFORE_REACH, [OLD_RUN, OLD_TRAJECTORY, OLD_REPLAYS], statements
    )
    lists, replays = ClickHouseLists(lane, lane), ClickHouseReplays(lane, is_alone=True)
    [line] = lists.conversation("talk", Reach.only("p"), TrajectoryFilter(), 10)
    assert line.key == TraceKey("p", "old")
    assert lists.conversation("talk", Reach.only("other"), TrajectoryFilter(), 10) == []
    assert [r.id for r in replays.replays(Reach.ALL, 10)] == ["2", "1"]
    assert [r.selection.reach for r in replays.replays(Reach.ALL, 10)] == [
        Reach.ALL,
        Reach.only("p"),
    ]
    assert [r.id for r in replays.replays(Reach.only("p"), 10)] == ["1"]


OLD_PROGRESS = """
INSERT INTO trace_progress (Project, TraceId, Seq, Status, Attempts, Arrived, Error)
VALUES ('p', 'old', 7, 'partial', 1, 3, 'too large')
"""
BEFORE_FINER = next(f.number for f in schema_files() if "extraction_progress" in f.name) - 1


@pytest.mark.parametrize("statements", [0, 1, 2, 3, 4])
def test_progress_stored_before_its_table_was_made_anew_is_found(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    """Also when the upgrade was stopped after some statements and began again."""
    lane = Lane(fresh_database)
    fill_and_upgrade(lane, monkeypatch, BEFORE_FINER, [OLD_PROGRESS], statements)
    key = TraceKey("p", "old")
    found = ClickHouseProgress(lane).read_progress([key])
    assert found == {key: Progress(key, 7, Status.PARTIAL, 1, arrived=3, error="too large")}
    assert not list(lane.rows("table_definitions", tables=["trace_progress"]))


OLD_ENDS = """
INSERT INTO trajectory_list
    (Project, StartTimeUnixNano, TraceId, Seq, Version, Status, RootType, HasError)
VALUES ('p', 100, 'good', 1, 1, 'settled', 'agent', false),
       ('p', 200, 'bad', 1, 1, 'settled', 'agent', true)
"""
OLD_ENDED = """
INSERT INTO trajectories (Project, TraceId, Version, Seq, Status, StartTimeUnixNano, HasError)
VALUES ('p', 'good', 1, 1, 'settled', 100, false), ('p', 'bad', 1, 1, 'settled', 200, true)
"""
BEFORE_OUTCOMES = next(f.number for f in schema_files() if "outcomes" in f.name) - 1


@pytest.mark.parametrize("statements", [0, 1, 3])
def test_runs_stored_before_there_were_outcomes_have_failed_if_a_step_had(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    lane = Lane(fresh_database)
    fill_and_upgrade(lane, monkeypatch, BEFORE_OUTCOMES, [OLD_ENDS, OLD_ENDED], statements)
    lists = ClickHouseLists(lane, lane)
    lines = lists.list(Reach.only("p"), TrajectoryFilter(), 10)
    assert [(line.key.trace_id, line.outcome, line.failures) for line in lines] == [
        ("bad", Outcome.FAILED, 0),
        ("good", Outcome.OK, 0),
    ]
    [failed] = lists.list(Reach.only("p"), TrajectoryFilter(outcome=Outcome.FAILED), 10)
    assert failed.key.trace_id == "bad"


OLD_PAUSE = """
INSERT INTO {table}
    (Project, StartTimeUnixNano, TraceId, Seq, Version, Status, RootType, Outcome, ConversationId)
VALUES ('p', 100, 'old', 1, 1, 'settled', 'agent', 'paused', 'talk')
"""
BEFORE_MARKS = next(f.number for f in schema_files() if "wait_and_go_on" in f.name) - 1


@pytest.mark.parametrize("statements", [0, 1, 2])
def test_a_run_that_waited_before_runs_were_marked_waits(
    fresh_database: Client, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    lane = Lane(fresh_database)
    rows = [OLD_PAUSE.format(table=table) for table in ("trajectories", "trajectory_list")]
    fill_and_upgrade(lane, monkeypatch, BEFORE_MARKS, rows, statements)
    [line] = ClickHouseLists(lane, lane).list(Reach.only("p"), TrajectoryFilter(), 10)
    assert (line.is_waiting, line.is_resuming) == (True, False)
