"""Lists as a caller of the API sees them, over the real process."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import httpx
import polars as pl
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom import Client
from spanloom.client import QueryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom

RUNS = 900
LATE = range(750, 900)
"""The newest runs, which get late spans."""
START_NS = time.time_ns() - 3600 * 10**9
CONVERSATION = "a long talk"


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """Return a service with ``RUNS`` runs, of which the newest were built three times."""
    spanloom = start_shared_spanloom("serve", "--root-quiet-s=0.1")
    _send(spanloom, range(RUNS), span=1)
    _await_versions(spanloom, 1)
    for late in (2, 3):
        _send(spanloom, LATE, span=late)
        _await_versions(spanloom, late)
    return spanloom


@pytest.mark.parametrize("limit", [50, 333])
def test_every_run_is_listed_once(spanloom: RunningSpanloom, limit: int) -> None:
    listed = list(_pages(f"{spanloom.api}/v1/trajectories", limit, has_steps="any"))
    assert [item["trace_id"] for item in listed] == [_trace_id(n) for n in reversed(range(RUNS))]


class NarrowProxy(httpx.HTTPTransport):
    """A proxy that refuses long URLs, as many proxies do."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if len(request.url.raw_path) > 8_000:
            return httpx.Response(414)
        return super().handle_request(request)


def test_a_question_that_no_proxy_lets_through_goes_in_a_body(spanloom: RunningSpanloom) -> None:
    names = "会话" * 600
    where = f'trace_id in ("{_trace_id(7)}", "{_trace_id(500)}") and not user = "{names}"'
    with Client(spanloom.api, transport=NarrowProxy()) as client:
        runs = client.trajectories(where, duplicate=None)
        assert [run.trace_id for run in runs] == [_trace_id(500), _trace_id(7)]
        assert runs.to_polars("trace_id")["trace_id"].to_list() == [_trace_id(500), _trace_id(7)]
        with pytest.raises(QueryError, match="should have at most 4096 characters"):
            list(client.trajectories(f'user = "{"x" * 20_000}"'))


def test_every_form_lists_every_run_once(spanloom: RunningSpanloom) -> None:
    wanted = [_trace_id(n) for n in reversed(range(RUNS))]

    def ask(accept: str) -> bytes:
        url = f"{spanloom.api}/v1/trajectories?fields=trace_id&has_steps=any"
        return httpx.get(url, headers={"accept": accept}, timeout=30).content

    *lines, end = map(json.loads, ask("application/x-ndjson").splitlines())
    assert [line["trace_id"] for line in lines] == wanted
    assert end == {"end": True, "count": RUNS}
    assert ask("text/csv").decode().split() == ["trace_id", *wanted]
    arrow = pl.read_ipc_stream(ask("application/vnd.apache.arrow.stream"))
    parquet = pl.read_parquet(ask("application/vnd.apache.parquet"))
    assert arrow.to_dict(as_series=False) == {"trace_id": wanted}
    assert parquet.equals(arrow)
    with Client(spanloom.api) as client:
        assert client.trajectories(has_steps=None).to_polars("trace_id").equals(arrow)


def test_every_run_of_a_filter_is_listed_once(spanloom: RunningSpanloom) -> None:
    listed = list(_pages(f"{spanloom.api}/v1/trajectories", 50, root_name="run 1", has_steps="any"))
    wanted = [n for n in reversed(range(RUNS)) if n % 2]
    assert [item["trace_id"] for item in listed] == [_trace_id(n) for n in wanted]


def test_every_run_of_a_conversation_is_listed_once(spanloom: RunningSpanloom) -> None:
    listed = list(_pages(f"{spanloom.api}/v1/conversations/{CONVERSATION}", 50, has_steps="any"))
    assert [item["trace_id"] for item in listed] == [_trace_id(n) for n in range(RUNS)]


def _trace_id(number: int) -> str:
    return f"{number + 1:032x}"


def _send(spanloom: RunningSpanloom, runs: Iterable[int], span: int) -> None:
    """Send one span of each run; the first is its root."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in runs:
        made = spans.add(
            trace_id=bytes.fromhex(_trace_id(number)),
            span_id=span.to_bytes(8, "big"),
            parent_span_id=b"" if span == 1 else (1).to_bytes(8, "big"),
            name=f"run {number % 2}",
            start_time_unix_nano=START_NS + number * 1_000_000 + span,
            end_time_unix_nano=START_NS + number * 1_000_000 + 1000,
        )
        made.attributes.add(key="gen_ai.operation.name").value.string_value = "invoke_agent"
        made.attributes.add(key="gen_ai.conversation.id").value.string_value = CONVERSATION
    answer = httpx.post(
        f"{spanloom.addresses['otlp_http']}/v1/traces",
        content=request.SerializeToString(),
        headers={"content-type": "application/x-protobuf"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


def _await_versions(spanloom: RunningSpanloom, span_count: int) -> None:
    """Wait until the newest and the oldest late run were built from ``span_count`` spans."""
    until = time.monotonic() + 60
    wanted = {_trace_id(0): 1, **{_trace_id(n): span_count for n in (LATE[0], LATE[-1])}}
    while wanted:
        for trace_id, count in list(wanted.items()):
            answer = httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}")
            if answer.status_code == 200 and answer.json()["extraction"]["span_count"] == count:
                del wanted[trace_id]
        assert time.monotonic() < until, spanloom.log
        time.sleep(0.05)


def _pages(url: str, limit: int, **query: str) -> Iterator[dict[str, str]]:
    parameters = {"limit": str(limit), **query}
    while True:
        page = httpx.get(url, params=parameters, timeout=30).json()
        yield from page["items"]
        if page["next_cursor"] is None:
            return
        parameters["cursor"] = page["next_cursor"]
