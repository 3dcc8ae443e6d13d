"""Bad and odd requests, B1 to B44, over HTTP and gRPC: each has its exact answer and its effect.

Every row is followed by an ordinary request on the same connection. At the end the service must
run with bounded memory, and its store must contain all that it accepted, to the last attribute.
"""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

import grpc
import pytest
from google.rpc.code_pb2 import Code
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support import bad_codings, bad_json, bad_protobuf
from tests.support.agents import await_spans, await_trajectory
from tests.support.bad_inputs import INVALID, Expected, one
from tests.support.doors import Answer, Doors
from tests.support.memory_of import Growth
from tests.support.otlp_requests import spans_apart
from tests.support.read_back import read_back

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.bad_inputs import BadInput

IN_PROTOBUF = [*bad_protobuf.rows(), *bad_codings.gzip_rows()]
OVER_HTTP = [*IN_PROTOBUF, *bad_codings.other_rows(), *bad_json.rows()]
FLAGS = {"B41": "end before they start", "B43": "parent cycles"}
"""Parts of the warnings in trajectories of these rows, keyed by the number of the row."""
MAX_GROWTH = 200 * 2**20
"""Limit of memory growth by the largest refused requests; accepted requests may need more."""


class Sent:
    """The requests sent to one service so far, keyed by trace id."""

    def __init__(self, service: RunningSpanloom, store_url: str) -> None:
        self.service = service
        self.store_url = store_url
        self.doors = Doors(service.addresses)
        self.rows: dict[bytes, BadInput] = {}
        self.neighbours: list[bytes] = []

    def new_trace(self, row: BadInput) -> bytes:
        trace_id = secrets.token_bytes(16)
        self.rows[trace_id] = row
        return trace_id

    def new_neighbour(self) -> bytes:
        trace_id = secrets.token_bytes(16)
        self.neighbours.append(trace_id)
        return one(name="normal")(trace_id)


@pytest.fixture(scope="module")
def sent(
    start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sent]:
    data_dir = tmp_path_factory.mktemp("data")
    quiet = ("--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
    service = start_shared_spanloom("serve", *quiet, data_dir=data_dir)
    service.wait_until_ready()
    sent = Sent(service, f"chdb://{data_dir / 'store'}")
    assert sent.doors.post(sent.new_neighbour()).status == 200
    yield sent
    sent.doors.close()


def check(answer: Answer, status: int, expected: Expected) -> None:
    assert (answer.status, answer.rejected) == (status, expected.rejected), answer.message
    assert answer.code == (Code.OK if expected.http == 200 else expected.grpc)
    assert answer.is_bad_request == (expected == INVALID)
    assert answer.retry_s is None, "to send it again would be of no use"
    assert bool(answer.message) == bool(expected.says or expected.http != 200)
    assert expected.says in answer.message
    assert len(answer.message) <= 1024


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in OVER_HTTP])
def test_over_http(row: BadInput, sent: Sent) -> None:
    body = row.body(sent.new_trace(row))
    growth = Growth(sent.service.process.pid)
    check(sent.doors.post(body, row.kind, row.headers), row.expected.http, row.expected)
    if row.expected.http != 200:
        assert growth.at_most() < MAX_GROWTH
    assert sent.doors.post(sent.new_neighbour()).message == ""


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in IN_PROTOBUF])
def test_over_grpc(row: BadInput, sent: Sent) -> None:
    answer = sent.doors.call(row.body(sent.new_trace(row)))
    check(answer, row.expected.grpc, row.expected)
    assert sent.doors.call(sent.new_neighbour()).message == ""


@pytest.mark.parametrize("kind", [None, "text/plain", "multipart/form-data", "application/xml"])
def test_b28_other_content_types(kind: str | None, sent: Sent) -> None:
    answer = sent.doors.post(sent.new_neighbour(), kind)
    assert (answer.status, answer.code) == (415, Code.UNIMPLEMENTED)
    assert "application/x-protobuf" in answer.message
    sent.neighbours.pop()  # it was refused


def test_b31_deflate_over_grpc(sent: Sent) -> None:
    answer = sent.doors.call(one()(b"t" * 16), grpc.Compression.Deflate)
    assert answer.status == Code.UNIMPLEMENTED


def test_afterwards_the_service_lives_and_has_what_it_took(sent: Sent) -> None:
    for _ in range(2):  # the second request is processed after all others
        assert sent.doors.post(sent.new_neighbour()).status == 200
    await_trajectory(sent.service.api, sent.neighbours[-1].hex(), 1)
    listed = sent.doors.http.get(
        f"{sent.service.api}/v1/trajectories?has_steps=any&limit=1000"
    ).json()["items"]
    assert {trace_id.hex() for trace_id in sent.neighbours} <= {one["trace_id"] for one in listed}
    for trace_id, row in sent.rows.items():
        if count := len(spans_apart(row.stored(trace_id))):
            document = await_spans(sent.service.api, trace_id.hex(), count)
            flag = FLAGS.get(row.name.partition(" ")[0], "")
            assert flag in str(document["extraction"]["warnings"])
    assert sent.service.stop() == 0
    told = [line for line in sent.service.complaints if "requests are refused" not in line]
    refused = [line for line in told if "spans are refused" in line]
    assert told == refused, "nothing else that a client does wrong is told"
    assert len(refused) <= 2 * len({json.loads(line)["rule"] for line in refused}), "once a minute"
    stored = read_back(sent.store_url, [trace_id.hex() for trace_id in sent.rows])
    for trace_id, row in sent.rows.items():
        wanted = spans_of(row.stored(trace_id))
        assert spans_of(stored[trace_id.hex()]) == wanted, row.name


def spans_of(otlp: bytes) -> dict[bytes, bytes]:
    """Return the spans keyed by id, with attributes sorted by key, because their order is free."""
    found = {}
    for span_id, alone in spans_apart(otlp).items():
        data = TracesData.FromString(alone)
        data.resource_spans[0].scope_spans[0].spans[0].attributes.sort(key=lambda pair: pair.key)
        found[span_id] = data.SerializeToString(deterministic=True)
    return found
