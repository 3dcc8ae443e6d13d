"""The SQL port as its clients see it: headers, statuses, sessions, keys, cancelling, deletions."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.contract.test_deletions import deletion
from tests.support.annotations import annotation
from tests.support.isolation import make_twins
from tests.support.sql_port import LIMITS, SqlPort, open_port

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.annotation_queue import Event, Queue, QueueEvent, QueueItem
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from spanloom.storage.store import ClickHouseStore

SLOW = "SELECT count() FROM numbers(1900000000) WHERE sipHash64(number) = 1"


@pytest.fixture(scope="module")
def port(clickhouse_store: ClickHouseStore) -> Iterator[SqlPort]:
    path = clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    with open_port(path, LIMITS._replace(time_s=20)) as port:
        yield port


@pytest.fixture
def slow(port: SqlPort) -> Iterator[threading.Thread]:
    """A running statement with the query id ``slow``, which runs until it is cancelled."""
    thread = threading.Thread(
        target=lambda: httpx.post(port.url, params={"query_id": "slow"}, content=SLOW, timeout=30)
    )
    thread.start()
    await_running(port, 1)
    yield thread
    thread.join()


def running(port: SqlPort) -> float:
    return port.metrics.registry.get_sample_value("spanloom_sql_running") or 0


def await_running(port: SqlPort, number: int) -> None:
    until = time.monotonic() + 30
    while running(port) != number:
        assert time.monotonic() < until, f"{running(port)} run, not {number}"
        time.sleep(0.01)


@pytest.mark.parametrize("path", ["ping", "", "replicas_status"])
def test_it_says_that_it_is_there(port: SqlPort, path: str) -> None:
    assert port.http.get(port.url + path).text == "Ok.\n"


def test_other_paths_and_methods(port: SqlPort) -> None:
    assert port.http.get(port.url + "play").status_code == 404
    assert port.http.delete(port.url).status_code == 405


def test_get_and_post(port: SqlPort) -> None:
    asked = {"query": "SELECT 1 AS x FORMAT JSONEachRow"}
    assert port.http.get(port.url, params=asked).json() == {"x": 1}
    assert port.http.post(port.url, params=asked).json() == {"x": 1}
    assert port.ask("SELECT 1 AS x FORMAT JSONEachRow").json() == {"x": 1}


def test_an_answer_has_the_headers_of_clickhouse(port: SqlPort) -> None:
    answer = port.ask("SELECT number FROM numbers(3)", query_id="my-id", default_format="CSV")
    said = answer.headers
    assert answer.text == "0\n1\n2\n"
    assert said["x-clickhouse-query-id"] == "my-id"
    assert said["x-clickhouse-format"] == "CSV"
    assert said["content-type"].startswith("text/csv")
    assert said["x-clickhouse-timezone"]
    assert said["x-clickhouse-server-display-name"]
    summary = json.loads(said["x-clickhouse-summary"])
    assert (summary["result_rows"], summary["read_rows"]) == ("3", "3")


def test_an_error_has_them_too(port: SqlPort) -> None:
    answer = port.ask("SELECT nothing", query_id="wrong")
    assert answer.status_code == 400
    assert answer.headers["x-clickhouse-exception-code"] == "47"
    assert answer.headers["x-clickhouse-query-id"] == "wrong"
    assert answer.text.startswith("Code: 47. DB::Exception: ")
    assert "(UNKNOWN_IDENTIFIER) (version 2" in answer.text


def test_parameters_are_values_never_text(port: SqlPort) -> None:
    text = "SELECT {a:String}, {b:Array(UInt8)}"
    assert port.said(text, param_a="'; DROP", param_b="[1,2]") == "\\'; DROP\t[1,2]\n"
    assert port.ask(text, param_a="x").headers["x-clickhouse-exception-code"] == "456"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "lz4"])
def test_answers_are_compressed_as_asked(port: SqlPort, coding: str) -> None:
    asked = {"query": "SELECT 'x'", "enable_http_compression": "1"}
    answer = port.http.get(port.url, params=asked, headers={"Accept-Encoding": coding})
    assert answer.headers["content-encoding"] == coding


def test_the_database_is_the_stores_or_system(port: SqlPort) -> None:
    assert port.said("SELECT count() FROM one", database="system") == "1\n"
    assert port.ask("SELECT 1", database="other").status_code == 404


def test_describe_exists_and_show_create(port: SqlPort) -> None:
    assert port.said("EXISTS TABLE v_steps") == "1\n"
    assert port.said("EXISTS TABLE access_keys") == "0\n"
    assert port.said("EXISTS TABLE v_scores") == "1\n"
    for withheld in ("annotations", "scores", "annotation_queue_events"):
        assert port.said(f"EXISTS TABLE {withheld}") == "0\n"
    assert port.said("DESCRIBE TABLE `default`.v_steps FORMAT TSV").startswith("Project\t")
    assert "CREATE VIEW default.v_steps" in port.said("SHOW CREATE TABLE v_steps")
    assert "v_steps" in port.said("SHOW TABLES LIKE 'v_%'")


ASKS_FOR_WHAT_WAS_SAID = (
    "SELECT 1 FROM v_annotations WHERE toUInt64(Annotator) > 0",
    "SELECT 1 FROM v_scores WHERE throwIf(Author LIKE 'secret-%', Author) = 0",
    "WITH 'x' AS Project, 'y' AS TraceId SELECT Annotator FROM v_annotations",
    "SELECT 'x' WHERE 'x' IN (SELECT toString(toInt8(Annotator)) FROM v_annotations)",
    "SELECT Annotator FROM annotations",
    "SELECT Author FROM default.scores",
    "SELECT Annotator FROM annotation_queue_events",
)


@pytest.mark.parametrize("is_of_all", [False, True])
def test_what_was_said_is_read_by_views_but_for_what_is_withheld(
    clickhouse_store: ClickHouseStore, *, is_of_all: bool
) -> None:
    """Errors of statements that fail on another project's or a withheld row do not reveal it."""
    store, path = clickhouse_store, clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    trace_id = secrets.token_hex(16)
    mine, theirs = (f"it's-{secrets.token_hex(4)}" for _ in range(2))
    twins = make_twins(store, mine, theirs, trace_id)
    who = f"secret-{secrets.token_hex(4)}"
    held = TraceKey(mine, secrets.token_hex(16))
    changed = annotation(twins.mine, annotator="bo", revision=2, correctness="incorrect")
    gone = annotation(twins.mine, annotator="cy", is_deleted=True)
    secret = annotation(held, annotator=who)
    store.annotations.add([annotation(twins.mine, annotator="bo"), changed, gone, secret])
    store.scores.add([Score(held, "helpful", "llm", who, 1, number=0.5)])
    store.queues.put(blind := Queue(mine, "blind", "s", ["ada"], is_blind=True))
    store.queues.add_items(blind, [QueueItem(held.trace_id, 1)])

    def withheld(project: str | None) -> Collection[tuple[str, str]]:
        return withheld_from_all(
            store.queues, Reach.ALL if project is None else Reach.only(project)
        )

    with open_port(path, is_open=False, withheld=withheld) as port:
        key = port.locks.make("*" if is_of_all else mine, Scope.READ)
        own = f"TraceId IN ('{trace_id}', '{held.trace_id}')"
        text = f"SELECT Annotator, Correctness FROM v_annotations WHERE {own} ORDER BY 1"
        said = port.said(text, key)
        assert "bo\tincorrect\n" in said
        assert mine.replace("'", "\\'") in said
        assert (theirs.replace("'", "\\'") in said) == is_of_all
        assert said.count("bo") == 1
        assert "cy" not in said
        assert who not in said
        assert who not in port.said(f"SELECT Author FROM v_scores WHERE {own}", key)
        assert who not in port.said(f"SELECT * FROM (SELECT * FROM v_annotations) WHERE {own}", key)
        for hostile in ASKS_FOR_WHAT_WAS_SAID:
            answer = port.ask(hostile, key)
            assert who not in answer.text
            assert is_of_all or theirs not in answer.text
        for table in ("trajectory_changes", "default.trajectory_changes AS x"):
            assert port.said(f"SELECT count() FROM {table} WHERE IsSaid", key) == "0\n"
        store.queues.add_events(blind, [QueueEvent(held.trace_id, "ada", 1, Event.DONE)])
        assert who in port.said(f"SELECT Author FROM v_scores WHERE {own}", key)


def test_columns_without_rows_are_named_in_native(port: SqlPort) -> None:
    body = port.ask("SELECT 1 AS x, 'y' AS y WHERE 0 FORMAT Native").content
    assert body == b"\x02\x00\x01x\x05UInt8\x01y\x06String"


def test_a_session_that_is_closed_is_gone(port: SqlPort) -> None:
    assert port.said("SELECT 1", session_id="c", close_session="1") == "1\n"
    gone = port.ask("SELECT 1", session_id="c", session_check="1")
    assert (gone.status_code, gone.headers["x-clickhouse-exception-code"]) == (404, "372")


def test_a_session_takes_one_statement_at_a_time(port: SqlPort) -> None:
    assert port.ask("SELECT 1", session_id="s", session_check="1").status_code == 404
    assert port.said("SELECT 1", session_id="s") == "1\n"
    assert port.said("SELECT 1", session_id="s", session_check="1") == "1\n"
    asking = threading.Thread(
        target=lambda: httpx.post(
            port.url, params={"session_id": "s", "query_id": "long"}, content=SLOW, timeout=60
        )
    )
    asking.start()
    await_running(port, 1)
    locked = port.ask("SELECT 1", session_id="s")
    assert port.said("SELECT 1", query_id="long", replace_running_query="1") == "1\n"
    asking.join()
    assert locked.headers["x-clickhouse-exception-code"] == "373"


def test_whoever_goes_away_is_not_worked_for(port: SqlPort) -> None:
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(port.url, content=SLOW, timeout=httpx.Timeout(30, read=0.5))
    await_running(port, 0)


def test_an_id_is_taken_while_it_runs_and_may_be_replaced(
    port: SqlPort, slow: threading.Thread
) -> None:
    taken = port.ask("SELECT 1", query_id="slow")
    assert taken.headers["x-clickhouse-exception-code"] == "216"
    assert port.said("SELECT 1", query_id="slow", replace_running_query="1") == "1\n"
    slow.join(30)
    assert not slow.is_alive()


def test_few_run_at_a_time_and_the_others_wait(port: SqlPort) -> None:
    limits = {"max_execution_time": "1"}
    threads = [
        threading.Thread(target=lambda: httpx.post(port.url, params=limits, content=SLOW))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    await_running(port, 2)
    most = 0.0
    while any(thread.is_alive() for thread in threads):
        most = max(most, running(port))
        time.sleep(0.02)
    assert most == 2


def test_a_stop_waits_for_no_statement(clickhouse_store: ClickHouseStore) -> None:
    path = clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    answers: list[httpx.Response] = []
    with open_port(path, LIMITS._replace(time_s=60)) as ending:
        url = ending.url
        asking = [
            threading.Thread(target=lambda: answers.append(httpx.post(url, content=SLOW)))
            for _ in range(3)  # the last one waits for its turn
        ]
        for thread in asking:
            thread.start()
        await_running(ending, 2)
        until = time.monotonic() + 30
        while ending.taken() != len(asking):
            assert time.monotonic() < until, "the last has not come"
            time.sleep(0.01)
        began = time.monotonic()
    assert time.monotonic() - began < 30  # each statement may take 60 s
    for thread in asking:
        thread.join(30)
    assert [a.headers["x-clickhouse-exception-code"] for a in answers] == ["394"] * 3


def basic(user: str, password: str) -> dict[str, str]:
    credential = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {credential}"}


WAYS: dict[str, Callable[[str], dict[str, str]]] = {
    "its own header": lambda key: {"X-ClickHouse-User": "any", "X-ClickHouse-Key": key},
    "basic": lambda key: basic("default", key),
    "bearer": lambda key: {"Authorization": f"Bearer {key}"},
    "both": lambda key: {**basic("default", key), "X-ClickHouse-Key": key},
}


@pytest.fixture(scope="module")
def locked(clickhouse_store: ClickHouseStore) -> Iterator[SqlPort]:
    path = clickhouse_store.snapshots._path
    if path is None:
        pytest.skip("the SQL port is for the embedded store")
    with open_port(path, is_open=False) as port:
        yield port


@pytest.mark.parametrize("way", WAYS)
def test_a_key_is_the_password(locked: SqlPort, way: str) -> None:
    key = locked.locks.make("shop", Scope.READ)
    headers = WAYS[way](key)
    assert locked.http.get(locked.url, params={"query": "SELECT 1"}, headers=headers).text == "1\n"
    locked.locks.revoke(key)
    refused = locked.http.get(locked.url, params={"query": "SELECT 1"}, headers=headers)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic")
    assert refused.headers["x-clickhouse-exception-code"] == "516"


def test_who_has_no_key_or_not_the_scope_is_refused(locked: SqlPort) -> None:
    assert locked.ask("SELECT 1").status_code == 401
    assert locked.ask("SELECT 1", locked.locks.make("shop", Scope.INGEST)).status_code == 403
    key = locked.locks.make("shop", Scope.READ)
    in_url = locked.http.get(locked.url, params={"query": "SELECT 1", "password": key})
    assert in_url.status_code == 401
    assert "must not be in a URL" in in_url.text


def test_other_hosts_and_pages_of_others_are_refused(port: SqlPort) -> None:
    foreign = port.http.get(f"{port.url}?query=SELECT+1", headers={"Host": "evil.example"})
    assert foreign.status_code == 421
    page = port.http.post(port.url, content="SELECT 1", headers={"Origin": "http://evil.example"})
    assert page.status_code == 403


def test_what_is_deleted_is_hidden(
    port: SqlPort, clickhouse_store: ClickHouseStore, new_project: Callable[[], str]
) -> None:
    mine, theirs, trace_id = new_project(), new_project(), secrets.token_hex(16)
    make_twins(clickhouse_store, mine, theirs, trace_id)
    scope = DeletionScope(Reach.only(mine), trace_id=trace_id)
    clickhouse_store.deletions.delete(deletion(scope))
    own = port.locks.make(mine)
    every = port.locks.make("*")
    for table in ("v_spans", "otel_traces", "v_trajectories", "trajectory_list"):
        text = f"SELECT Project FROM {table} WHERE TraceId = '{trace_id}' GROUP BY 1"
        assert port.said(text, own) == ""
        assert port.said(text, every) == f"{theirs}\n"
        tricky = f"WITH 'x' AS TraceId, '{theirs}' AS Project SELECT count() FROM {table} AS t"
        assert port.said(f"{tricky} WHERE t.TraceId = '{trace_id}'", own) == "0\n"
