"""Scores exported from a service and imported into another: as rows, as OTLP evaluations."""

from __future__ import annotations

import io
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.support.access import Locks
from tests.support.extracting import World as Extracting
from tests.support.memory_store import MemoryStore
from tests.unit.client.conftest import World

from spanloom.client.calls.scores import score_table, write_scores
from spanloom.client.transfer.score_results import export_results
from spanloom.client.transfer.score_rows import list_all, read_rows
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.core.formats.entry import CSV, NDJSON, PARQUET
from spanloom.core.model.access import Reach
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.core.records.score import ScoreItem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spanloom import Client

TRACE = f"{1:032x}"
STEP = "00000000000000a2"
SAID: list[dict[str, Any]] = [
    {"name": "number", "author": "a", "value": 0.75, "label": "good", "rationale": 'so: "x"'},
    {"name": "bool", "author": "a", "value": True, "passed": True, "source": "llm"},
    {"name": "bool no", "author": "a", "value": False, "passed": False, "source": "code"},
    {"name": "category", "author": "b", "value": "polite", "target": "step", "step_id": STEP},
    {"name": "text", "author": "b", "value": "=1+1", "value_type": "text", "source": "model"},
    {"name": "failed", "author": "b", "status": "error", "error_code": "Timeout"},
    {"name": "failed without a code", "author": "b", "status": "error"},
    {"name": "na", "author": "b", "status": "na", "source": "rule"},
    {"name": "span", "author": "b", "value": 1, "target": "span", "step_id": STEP},
    {
        "name": "all",
        "author": "c",
        "value": 3,
        "evidence": [{"step_id": STEP, "field": "output"}],
        "experiment": "e",
        "item": "i",
        "repeat": 2,
        "judged_version": 4,
        "evaluator_version": "1.0",
        "config_hash": "ff",
        "rule_id": "r",
        "input_tokens": 5,
        "output_tokens": 6,
        "cost": 0.5,
        "view_fingerprint": "1:names:ff",
        "coverage": 0.5,
        "cached": True,
        "metrics": {"f1": 0.25, "order": 1.0},
        "is_complete": False,
    },
]


def said(client: Client) -> list[dict[str, Any]]:
    """Store scores of each kind, and return them as the service lists them."""
    items = [{"trace_id": TRACE, "at": 1_715_400_000_000 + n, **s} for n, s in enumerate(SAID)]
    client.ask(write_scores(items))
    found = [dict(row) for row in list_all(client)]
    assert len(found) == len(SAID)
    return found


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.delenv("SPANLOOM_API_KEY", raising=False)
    started = World(MemoryStore(), Locks())
    yield started
    started.end()


@pytest.mark.parametrize("form", [NDJSON, PARQUET])
def test_rows_of_a_file_are_the_same_scores_and_twice_changes_nothing(
    client: Client, other: World, form: str, tmp_path: Path
) -> None:
    before = said(client)
    file = tmp_path / "scores"
    with file.open("wb") as out:
        client.copy(score_table(form), out)
    for _ in range(2):
        done = send_scores(ServiceScores(other.client()), read_rows(file))
        assert (done.stored, done.waiting, done.refused) == (len(before), len(before), [])
        assert [dict(row) for row in list_all(other.client())] == before


def test_evaluation_results_are_the_same_scores(client: Client) -> None:
    before = said(client)
    sent: list[bytes] = []
    done = export_results(list_all(client), sent.append)
    assert done == (len(before), 0)
    second = Extracting()
    for body in sent:
        request = Parse(to_protobuf_json(body), ExportLogsServiceRequest())
        second.send_logs(request.SerializeToString())
    second.run(70, 5)
    found = second.store.scores.list(Reach.ALL, ScoreQuery(), 100)
    after = [orjson.loads(ScoreItem.made_of(score).model_dump_json()) for score in found]
    assert after == before


def to_protobuf_json(body: bytes) -> bytes:
    """Return OTLP/JSON with its ids in base64, as the JSON of the protobuf library has them."""
    document = orjson.loads(body)
    for resource in document["resourceLogs"]:
        for scope in resource["scopeLogs"]:
            for record in scope["logRecords"]:
                for name in ("traceId", "spanId"):
                    if name in record:
                        raw = bytes.fromhex(record[name])
                        record[name] = b64encode(raw).decode()
    return orjson.dumps(document)


def test_what_otlp_cannot_hold_is_counted(client: Client) -> None:
    talk = {"name": "n", "author": "a", "target": "conversation", "conversation_id": "c"}
    odd = {"name": "n", "author": "a", "trace_id": TRACE, "target": "step", "step_id": "step 1"}
    client.ask(write_scores([talk, odd]))
    sent: list[bytes] = []
    assert export_results(list_all(client), sent.append) == (0, 2)
    assert sent == []


def test_bad_rows_are_named_and_their_neighbours_taken(client: Client, tmp_path: Path) -> None:
    good = {"trace_id": TRACE, "name": "n", "author": "a", "value": 1}
    file = tmp_path / "scores.jsonl"
    file.write_bytes(
        b"\n".join(
            [
                orjson.dumps(good),
                b"{broken",
                b"[1]",
                orjson.dumps({**good, "trace_id": "no id"}),
                b"",
                orjson.dumps({**good, "name": "m"}),
                orjson.dumps({**good, "project": 7}),
            ]
        )
    )
    done = send_scores(ServiceScores(client), read_rows(file))
    assert done.stored == 2
    assert [one["place"] for one in done.refused] == ["line 2", "line 3", "line 7", "line 4"]


def test_scores_that_annotations_make_are_left_out(client: Client, tmp_path: Path) -> None:
    rows = [
        {"trace_id": TRACE, "name": "potato", "author": "ada", "source": "human"},
        {"trace_id": TRACE, "name": "thumb", "author": "ada", "source": "human", "value": True},
    ]
    file = tmp_path / "scores.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    done = send_scores(ServiceScores(client), read_rows(file), "default")
    assert (done.stored, done.left_out, done.refused) == (1, 1, [])


def test_formulas_in_tables_are_quoted(client: Client) -> None:
    said(client)
    out = io.BytesIO()
    client.copy(score_table(CSV), out)
    assert b",=1" not in out.getvalue()
    assert b"=1+1" in out.getvalue()
