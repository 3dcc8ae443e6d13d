"""F16: spans that the store refuses never block or hide others, and can be retried or exported."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.faults.test_no_room import await_readiness
from tests.support import refusing_store
from tests.support.ledger import Ledger, Outcome, Request, SentSpan, as_protobuf, make_requests
from tests.support.otlp_requests import message_of, wire_span
from tests.support.senders import GrpcClient
from tests.support.settling import check_api

from spanloom.collector.spool.dead_letters import DeadLetters
from spanloom.process.datadir import spool_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

VISIBLE_S = 120.0
"""Longest wait in seconds for events that take one or two on a quiet machine."""
SPANS = 64
"""Spans of a request of which the store refuses some."""
POISON: Request = (SentSpan("d" * 32, "d" * 16, "", "the poison of all", 10**18),)


@pytest.fixture
def order(tmp_path: Path) -> Path:
    """Return a file that controls what the store refuses (``tests/support/refusing_store.py``)."""
    return tmp_path / "order"


def start(start_spanloom: StartSpanloom, order: Path, *options: str) -> RunningSpanloom:
    quick = ("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5", *options)
    return start_spanloom(*quick, entry=(refusing_store.__file__, str(order)))


def send(spanloom: RunningSpanloom, ledger: Ledger, requests: Sequence[Request]) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for request in requests:
        ledger.note(request, client.send(request))
    client.close()
    assert not ledger.requests(Outcome.REFUSED)


def dead_letters(run: RunSpanloom, data_dir: str, *arguments: str) -> list[str]:
    ended = run("dead-letters", *arguments, f"--data-dir={data_dir}")
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def listed(run: RunSpanloom, data_dir: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in dead_letters(run, data_dir, "list", "--json")]


def await_listed(run: RunSpanloom, data_dir: str, count: int) -> list[dict[str, object]]:
    """Wait until there are ``count`` dead letters; return them as the command lists them.

    The wait reads the spool in this process, because the command starts slowly.
    """
    until = time.monotonic() + VISIBLE_S
    with DeadLetters(spool_in(Path(data_dir))) as letters:
        while len(found := letters.list()) != count:
            assert time.monotonic() < until, found
            time.sleep(0.1)
    return listed(run, data_dir)


def test_one_bad_request_among_10000_good_spans_is_alone_set_aside(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, order: Path
) -> None:
    """The store refuses first with an error about the data, then with one that may be ours."""
    spanloom = start(start_spanloom, order, "--batch-wait-s=1")
    stored = 0
    for trace, kind in ("d" * 32, "data"), ("c" * 32, "fault"):
        order.write_text(kind)
        good = [many_spans(stored + number) for number in range(10)]
        stored += 5_000
        poison = (POISON[0]._replace(trace_id=trace),)
        set_aside(spanloom, run_spanloom, good, poison, stored)
        order.unlink()
        retry(spanloom, run_spanloom, trace)
        stored += 1
    assert spanloom.stop() == 0


def set_aside(
    spanloom: RunningSpanloom,
    run: RunSpanloom,
    good: Sequence[Request],
    poison: Request,
    stored: int,
) -> None:
    """Send a refused request among others; assert that it alone becomes a dead letter and stays."""
    data_dir = spanloom.addresses["data_dir"]
    ledger = Ledger()
    send(spanloom, ledger, [*good[:5], poison, *good[5:]])
    [letter] = await_listed(run, data_dir, 1)
    await_stored(spanloom, stored)
    assert (letter["span_count"], letter["signal"]) == (1, "spans")
    assert "injected" in str(letter["reason"])
    folder = Path(data_dir).parent / "letters"
    dead_letters(run, data_dir, "export", str(letter["seq"]), f"--to={folder}")
    exported = ExportTraceServiceRequest.FromString(
        (folder / f"{letter['seq']}.binpb").read_bytes()
    )
    assert names(exported) == names(as_protobuf(poison))
    dead_letters(run, data_dir, "retry", "--all")  # the store still refuses it
    time.sleep(0.5)
    assert await_listed(run, data_dir, 1) == [letter]


def retry(spanloom: RunningSpanloom, run: RunSpanloom, trace_id: str) -> None:
    """Retry the only dead letter, and wait until its trace is stored."""
    data_dir = spanloom.addresses["data_dir"]
    [letter] = listed(run, data_dir)
    assert dead_letters(run, data_dir, "retry", str(letter["seq"]))
    assert listed(run, data_dir) == []
    until = time.monotonic() + VISIBLE_S
    while (
        httpx.get(f"{spanloom.api}/v1/trajectories/{trace_id}/spans").status_code != httpx.codes.OK
    ):
        assert time.monotonic() < until, "what was retried is not stored"
        time.sleep(0.1)


def mixed(trace_id: str, spans: int, bad: set[int]) -> ExportTraceServiceRequest:
    """Make a request of four resources with two scopes each; some of its spans are poison."""
    request = ExportTraceServiceRequest()
    for number in range(8):
        some = [
            wire_span(trace_id, n, parent=min(n - 1, 1), name="poison" if n in bad else f"good {n}")
            for n in range(number * spans // 8 + 1, (number + 1) * spans // 8 + 1)
        ]
        part = message_of(some, {"service.name": f"service {number // 2}"}).resource_spans[0]
        part.scope_spans[0].scope.name = f"scope {number}"
        if number % 2:
            request.resource_spans[-1].scope_spans.extend(part.scope_spans)
        else:
            request.resource_spans.append(part)
    return request


def stored_spans(spanloom: RunningSpanloom, trace_id: str, count: int) -> dict[str, str]:
    """Wait until a trace has ``count`` spans; return their names by id."""
    until = time.monotonic() + VISIBLE_S
    address = f"{spanloom.api}/v1/trajectories/{trace_id}/spans"
    while True:
        answer = httpx.get(address)
        spans = answer.json()["spans"] if answer.status_code == 200 else []
        if len(spans) == count:
            return {span["span_id"]: span["name"] for span in spans}
        assert time.monotonic() < until, len(spans)
        time.sleep(0.1)


@pytest.mark.nightly
def test_of_a_request_only_the_refused_spans_are_set_aside(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, order: Path
) -> None:
    """If the request is the very first, only its good spans show that the store works."""
    order.write_text("data")
    spanloom = start(start_spanloom, order, "--batch-wait-s=0")
    for trace_id, bad in ("ab" * 16, {21, 22, 64}), ("cd" * 16, {1}):
        order.write_text("data")
        request = mixed(trace_id, SPANS, bad)
        some_refused(spanloom, run_spanloom, request, trace_id, bad)
        order.unlink()
        dead_letters(run_spanloom, spanloom.addresses["data_dir"], "retry", "--all")
        found = stored_spans(spanloom, trace_id, SPANS)
        assert [name for name in found.values() if name == "poison"] == ["poison"] * len(bad)
        assert listed(run_spanloom, spanloom.addresses["data_dir"]) == []
    assert spanloom.stop() == 0


def some_refused(
    spanloom: RunningSpanloom,
    run: RunSpanloom,
    request: ExportTraceServiceRequest,
    trace_id: str,
    bad: set[int],
) -> None:
    """Send a request with refused spans; assert that only those become a dead letter and stay."""
    data_dir = spanloom.addresses["data_dir"]
    url = f"{spanloom.addresses['otlp_http']}/v1/traces"
    kind = {"content-type": "application/x-protobuf"}
    answer = httpx.post(url, content=request.SerializeToString(), headers=kind)
    assert (answer.status_code, answer.content) == (200, b"")
    [letter] = await_listed(run, data_dir, 1)
    assert letter["span_count"] == len(bad)
    found = stored_spans(spanloom, trace_id, SPANS - len(bad))
    assert found == {f"{n:016x}": f"good {n}" for n in range(1, SPANS + 1) if n not in bad}
    assert httpx.get(f"{spanloom.api}/readyz").json()["status"] == "ok"

    folder = Path(data_dir).parent / "letters"
    dead_letters(run, data_dir, "export", str(letter["seq"]), f"--to={folder}")
    exported = ExportTraceServiceRequest.FromString(
        (folder / f"{letter['seq']}.binpb").read_bytes()
    )
    rest = [
        (resource.resource, scope.scope, span)
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
        if span.name == "poison"
    ]
    assert rest == [
        (resource.resource, scope.scope, span)
        for resource in exported.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]

    dead_letters(run, data_dir, "retry", "--all")  # the store still refuses them
    time.sleep(0.5)
    assert await_listed(run, data_dir, 1) == [letter]


@pytest.mark.nightly
def test_a_store_that_refuses_everything_buries_nothing(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, order: Path
) -> None:
    """Acknowledged spans wait for the store, as after a failed upgrade, and are stored later."""
    order.write_text("everything")
    spanloom = start(start_spanloom, order, "--batch-wait-s=0.05")
    ledger = Ledger()
    requests = make_requests("refused all")
    for _ in range(10):
        send(spanloom, ledger, [next(requests) for _ in range(4)])
        time.sleep(0.3)
    assert listed(run_spanloom, spanloom.addresses["data_dir"]) == []
    metrics = httpx.get(f"{spanloom.api}/metrics").text
    assert 'spanloom_insert_failures_total{kind="fault"}' in metrics
    [reason] = await_readiness(spanloom, "degraded")
    assert "the store has accepted no batch" in reason
    assert "(fault;" in reason
    order.unlink()
    assert await_readiness(spanloom, "ok") == []
    account = ledger.account()
    assert account.acknowledged == account.sent.keys()
    assert check_api(spanloom.api, account) == account.acknowledged
    order.write_text("everything")  # again, after the writer has stored other requests
    send(spanloom, ledger, [next(requests) for _ in range(4)])
    time.sleep(1.5)
    assert listed(run_spanloom, spanloom.addresses["data_dir"]) == []
    order.unlink()
    assert check_api(spanloom.api, ledger.account()) == ledger.account().acknowledged
    assert spanloom.stop() == 0


@pytest.mark.nightly
def test_dropped_is_gone_and_a_stopped_service_can_be_helped(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, order: Path
) -> None:
    order.write_text("data")
    spanloom = start(start_spanloom, order, "--batch-wait-s=0")
    data_dir = spanloom.addresses["data_dir"]
    ledger, aside = Ledger(), Ledger()
    requests = make_requests("good")
    poison = [(POISON[0]._replace(trace_id=f"{n + 1:032x}"),) for n in range(3)]
    send(spanloom, aside, poison)
    send(spanloom, ledger, [next(requests) for _ in range(5)])
    letters = await_listed(run_spanloom, data_dir, 3)
    assert spanloom.stop() == 0
    dead_letters(run_spanloom, data_dir, "drop", str(letters[0]["seq"]))
    dead_letters(run_spanloom, data_dir, "retry", str(letters[1]["seq"]))
    assert [letter["seq"] for letter in listed(run_spanloom, data_dir)] == [letters[2]["seq"]]
    ended = run_spanloom("dead-letters", "drop", "7", f"--data-dir={data_dir}")
    assert (ended.returncode, "there is no dead letter 7" in ended.stderr) == (1, True)
    order.unlink()
    second = start(start_spanloom, order)
    until = time.monotonic() + VISIBLE_S
    statuses: list[int] = []
    while statuses != [404, 200, 404]:
        assert time.monotonic() < until, statuses
        statuses = [
            httpx.get(f"{second.api}/v1/trajectories/{span.trace_id}/spans").status_code
            for (span,) in poison
        ]
        time.sleep(0.1)
    assert [letter["seq"] for letter in listed(run_spanloom, data_dir)] == [letters[2]["seq"]]
    assert second.stop() == 0


def test_dead_letters_count_to_the_bound_until_they_are_dropped(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, order: Path
) -> None:
    order.write_text("data")
    spanloom = start(start_spanloom, order, "--batch-wait-s=0", "--spool-max-bytes=1MiB")
    data_dir = spanloom.addresses["data_dir"]
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    requests = make_requests("around the bound")
    assert client.send(next(requests)) is Outcome.ACKNOWLEDGED
    outcomes: list[Outcome] = []
    while len(outcomes) < 10 and Outcome.REFUSED not in outcomes:
        poison = POISON[0]._replace(span_id=f"{len(outcomes) + 1:016x}", name="poison " * 40_000)
        outcomes.append(client.send((poison,)))
    assert outcomes == [*[Outcome.ACKNOWLEDGED] * 3, Outcome.REFUSED], "280 kB each"
    await_listed(run_spanloom, data_dir, 3)
    assert sum(int(str(letter["size"])) for letter in listed(run_spanloom, data_dir)) < 1 << 20
    assert client.send((poison,)) is Outcome.REFUSED
    assert client.send(next(requests)) is Outcome.ACKNOWLEDGED, "there is room for small ones"
    dead_letters(run_spanloom, data_dir, "drop", "--all")
    assert client.send((poison,)) is Outcome.ACKNOWLEDGED
    client.close()
    assert spanloom.stop() == 0


def many_spans(number: int) -> Request:
    """Make one request of 500 spans, which are a trace."""
    trace_id = f"{number + 1:032x}"
    ids = [f"{number * 1000 + n + 1:016x}" for n in range(500)]
    return tuple(
        SentSpan(trace_id, span_id, "" if span_id == ids[0] else ids[0], f"good {span_id}", 10**18)
        for span_id in ids
    )


def names(request: ExportTraceServiceRequest) -> list[str]:
    return [
        span.name
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def await_stored(spanloom: RunningSpanloom, spans: int) -> None:
    until = time.monotonic() + VISIBLE_S
    while f"\nspanloom_spans_stored_total {float(spans)}\n" not in (
        text := httpx.get(f"{spanloom.api}/metrics").text
    ):
        assert time.monotonic() < until, text
        time.sleep(0.1)
