"""Files imported over the API are read, compared, stored as spans, and reported line by line."""

from __future__ import annotations

import gzip
from typing import Any

import orjson
import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData
from tests.support.access import Locks
from tests.support.drafted import planner
from tests.support.imported_files import FILE, IMPORTS, Collector, send, told
from tests.support.made_formats import AMBIGUOUS, register
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.client.transfer import otlp_file
from spanloom.collector.intake.limits import Limits
from spanloom.core.errors import OverloadedError, RateLimitedError
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.importing import Wanted
from spanloom.metrics import Metrics
from spanloom.process.imports import child, importer, running

TRACE = planner()["id"]
SPANS = 7
SPAN = {"traceId": "AB" * 16, "spanId": "cd" * 8, "name": "sent", "startTimeUnixNano": "1"}


def otlp(*spans: dict[str, Any]) -> bytes:
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def test_good_lines_are_stored_and_bad_ones_named(client: TestClient, collector: Collector) -> None:
    body = b"\n".join([orjson.dumps(planner()), b"{", b'{"root_step":{}}', otlp(SPAN)])
    done = told(send(client, body))
    assert [one["place"] for one in done.rejected] == ["line 2", "line 3"]
    assert all(one["reason"] for one in done.rejected)
    assert [(r["trace_id"], r["place"], r["state"]) for r in done.runs] == [
        (TRACE, "line 1", "taken"),
        ("ab" * 16, "line 4", "taken"),
    ]
    counts = {"accepted_spans": SPANS + 1, "rejected_spans": 0, "unchanged_runs": 0}
    counts |= {"accepted_scores": 0, "rejected_scores": 0}
    assert done.end == {
        "end": True,
        "format": "canonical",
        "share": 1.0,
        "rejected": 2,
        "losses": {},
        **counts,
    }
    assert collector.spans() == {"": SPANS + 1}


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_losses_and_the_format_are_told(
    client: TestClient, collector: Collector, pack: Any
) -> None:
    talk = [{"role": "user", "content": "Oslo?"}, {"role": "assistant", "content": "Yes."}]
    done = told(send(client, pack(orjson.dumps(talk)), format="openai", project="p"))
    assert (done.end["format"], [run["project"] for run in done.runs]) == ("openai", ["p"])
    assert done.end["losses"]["ids_made"] == 3
    assert sum(collector.spans().values()) == done.end["accepted_spans"]


def test_the_same_again_is_unchanged_and_another_is_in_the_way(
    client: TestClient, collector: Collector
) -> None:
    body = orjson.dumps(planner())
    collector.stored.by_key[TRACE, "default"] = planner()
    done = told(send(client, body, format="canonical"))
    assert [(run["state"]) for run in done.runs] == ["unchanged"]
    assert (done.end["unchanged_runs"], done.end["accepted_spans"]) == (1, 0)
    other = planner()
    other["root_step"]["output"] = "Bergen."
    collector.stored.by_key[TRACE, "default"] = other
    done = told(send(client, body))
    assert done.runs == []
    assert done.end["rejected_spans"] == SPANS
    assert TRACE in done.rejected[0]["reason"]
    assert "under other ids" in done.rejected[0]["reason"]
    assert "--" not in done.rejected[0]["reason"]  # the page shows it: no command options
    assert collector.spans() == {}
    done = told(send(client, body, as_new="true"))
    assert done.runs[0]["trace_id"] != TRACE
    assert collector.spans() == {"": SPANS}


def test_spans_that_are_there_are_an_unchanged_run(
    client: TestClient, collector: Collector
) -> None:
    sent = ResourceSpans(scope_spans=[ScopeSpans(spans=[message_of_span()])])
    key = TraceKey("p", SPAN["traceId"].lower())
    moved = KeyValue(key="spanloom.project", value=AnyValue(string_value="p"))
    sent.resource.attributes.append(moved)
    collector.stored.sent[key] = TracesData(resource_spans=[sent]).SerializeToString()
    done = told(send(client, otlp(SPAN), project="p"))
    assert [(run["trace_id"], run["state"]) for run in done.runs] == [("ab" * 16, "unchanged")]
    assert (done.end["unchanged_runs"], done.end["accepted_spans"]) == (1, 0)
    done = told(send(client, otlp(SPAN | {"name": "another"}), project="p"))
    assert [run["state"] for run in done.runs] == ["taken"]
    assert (done.end["unchanged_runs"], done.end["accepted_spans"]) == (0, 1)


def message_of_span() -> Span:
    """Return ``SPAN`` as protobuf."""
    trace_id, span_id = bytes.fromhex(SPAN["traceId"]), bytes.fromhex(SPAN["spanId"])
    return Span(trace_id=trace_id, span_id=span_id, name="sent", start_time_unix_nano=1)


def test_a_key_of_one_project_stores_and_compares_there_alone(
    client: TestClient, collector: Collector, locks: Locks
) -> None:
    key = locks.make("mine", Scope.INGEST)
    theirs = planner()
    theirs["root_step"]["output"] = "secret"
    collector.stored.by_key[TRACE, "theirs"] = collector.stored.by_key[TRACE, "default"] = theirs
    assert send(client, b"x", key=key, project="theirs").status_code == 403
    done = told(send(client, orjson.dumps(planner()) + b"\n" + otlp(SPAN), key=key))
    assert [run["project"] for run in done.runs] == ["mine", "mine"]
    assert collector.spans() == {"mine": SPANS + 1}
    assert {reach for _, reach in collector.stored.asked} == {Reach.only("mine")}
    reader = locks.make("mine", *(set(Scope) - {Scope.INGEST}))
    assert send(client, b"x", key=reader).status_code == 403


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"format": "word"}, "'word' is not read; read are"),
        ({"format": "html"}, "'html' is not read"),
        ({"project": "a\nb"}, "No project may have this name"),
        ({"as_new": "perhaps"}, "as_new"),
    ],
)
def test_what_cannot_be_is_refused(
    client: TestClient, collector: Collector, params: dict[str, str], said: str
) -> None:
    answer = send(client, b"{}", **params)
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text
    assert str(collector.folder) not in answer.text


def test_a_file_that_is_no_table_is_refused_or_rejected(
    client: TestClient, collector: Collector
) -> None:
    answer = send(client, b"{}", format="parquet")
    assert answer.status_code == 422 or told(answer).rejected
    assert "parquet" in answer.text
    assert str(collector.folder) not in answer.text
    assert collector.spans() == {}


def test_a_shape_that_fits_twice_is_refused_with_both_names(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch, *AMBIGUOUS)
    answer = send(client, b'{"note":"n","asked":"a","answered":"b"}')
    assert answer.status_code == 422
    assert "its shape fits note and " in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "place", "said"),
    [
        (b"", "the file", "it is empty"),
        ('{"a":1}'.encode("utf-16"), "the file", "UTF-16"),
        (gzip.compress(otlp(SPAN))[:-9], "", "gzip"),
        (b"PAR1 and no more", "", ""),
    ],
    ids=["empty", "UTF-16", "half a gzip", "no table"],
)
def test_files_that_are_none_are_told_in_a_sentence(
    client: TestClient, collector: Collector, body: bytes, place: str, said: str
) -> None:
    answer = send(client, body)
    assert str(collector.folder) not in answer.text
    if answer.status_code == 200:
        (rejected,) = told(answer).rejected
        assert place in rejected["place"]
        assert said in rejected["reason"]
    else:
        assert (answer.status_code, place) == (422, "")
        assert answer.json()["detail"]


def test_a_process_without_a_collector_says_what_to_do() -> None:
    app = create_app(MemoryStore(), Metrics(), Locks().access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        answer = send(client, b"{}")
    assert (answer.status_code, "spanloom import" in answer.json()["detail"]) == (501, True)


def test_few_run_at_one_time_and_none_before_the_start_or_after_the_end(
    client: TestClient, collector: Collector
) -> None:
    begun = [collector.importer.begin(Wanted()) for _ in range(importer.AT_ONCE)]
    refused = send(client, b"{}")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    begun.pop().close()
    assert send(client, otlp(SPAN)).status_code == 200
    collector.importer.close()
    assert send(client, b"{}").status_code == 503
    with pytest.raises(OverloadedError):
        begun[0].write(b"more")
    with pytest.raises(OverloadedError):
        begun[0].next_lines()
    unborn = importer.FileImporter(collector.folder, collector.stored)  # type: ignore[arg-type]  # a stand-in for the store
    with pytest.raises(OverloadedError, match="starting"):
        unborn.begin(Wanted())


def test_a_service_that_stops_meanwhile_says_so(
    client: TestClient, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = collector.exporter.export_traces

    def export_and_stop(*asked: Any) -> Any:
        collector.importer.close()
        return export(*asked)

    monkeypatch.setattr(collector.exporter, "export_traces", export_and_stop)
    done = told(send(client, otlp(SPAN) + b"\n" + otlp(SPAN | {"spanId": "ef" * 8})))
    assert "stopping" in done.end["error"]
    assert [run["trace_id"] for run in done.runs] == ["ab" * 16]


@pytest.mark.parametrize(
    ("error", "status"), [(OverloadedError("full"), 503), (RateLimitedError("full"), 503)]
)
def test_a_collector_that_takes_nothing_more_ends_the_import(
    client: TestClient,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(collector.exporter, "export_traces", refuse)
    assert send(client, otlp(SPAN)).status_code == status  # before any line of the answer
    done = told(send(client, b"{\n" + otlp(SPAN)))
    assert done.end == {"error": "full"}
    assert [one["place"] for one in done.rejected] == ["line 1"]


def test_a_file_of_nothing_but_bad_lines_is_not_read_to_its_end(
    client: TestClient, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST_REJECTED", 700)
    monkeypatch.setattr(running, "LINES_AT_ONCE", 100)
    done = told(send(client, otlp(SPAN) + b"\n{" * 1_000 + b"\n" + otlp(SPAN)))
    assert (len(done.rejected), collector.spans()) == (701, {"": 1})
    assert "the rest of the file is not read" in done.end["error"]


def test_a_run_that_is_too_long_is_rejected_alone(
    client: TestClient, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "MOST_ITEM_BYTES", 2_000)
    monkeypatch.setattr(otlp_file, "PIECE_BYTES", 500)  # so that it takes several pieces
    large = SPAN | {"traceId": "ef" * 16, "name": "x" * 3_000}
    body = b"\n".join([orjson.dumps(planner()), otlp(large), otlp(SPAN)])
    done = told(send(client, body))
    assert [one["place"] for one in done.rejected] == ["line 1", "line 2"]
    assert "is longer than" in done.rejected[0]["reason"]
    assert [run["trace_id"] for run in done.runs] == ["ab" * 16]
    assert collector.spans() == {"": 1}


def test_what_no_request_may_have_is_rejected_alone(
    client: TestClient, collector: Collector
) -> None:
    collector.limits = Limits(max_request_bytes=1_000)
    collector.importer.use(collector.exporter, collector.limits)
    large = SPAN | {"traceId": "ef" * 16, "name": "x" * 3_000}
    done = told(send(client, otlp(large) + b"\n" + otlp(SPAN)))
    assert [one["place"] for one in done.rejected] == ["line 1"]
    assert (done.end["rejected_spans"], done.end["accepted_spans"]) == (1, 1)
    assert collector.spans() == {"": 1}


def test_our_own_page_alone_sends_files(client: TestClient) -> None:
    ours = "http://127.0.0.1:8080"
    for origin, kind, status in (
        (ours, FILE, 200),
        ("https://evil.example", FILE, 403),
        ("null", FILE, 403),
        (ours, "text/plain", 403),
        (ours, "application/json", 403),
        (ours, "", 403),
    ):
        headers = {"origin": origin, "content-type": kind}
        answer = client.post(IMPORTS, content=otlp(SPAN), headers=headers)
        assert answer.status_code == status, (origin, kind)
    headers = {"origin": ours, "content-type": FILE, "sec-fetch-site": "cross-site"}
    assert client.post(IMPORTS, content=b"", headers=headers).status_code == 403


def test_a_file_beyond_the_most_is_refused(
    client: TestClient, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spanloom.api.http.bounds.MOST_BYTES", 1_000)
    assert send(client, b" " * 1_001).status_code == 413
    assert collector.spans() == {}
