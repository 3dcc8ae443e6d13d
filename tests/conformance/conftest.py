"""The services of the suite: one for each module, one whose spool is full, and one with keys."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData
from tests.conformance.samples import SAMPLES, trace_id_of
from tests.support.failing_store import failing_store, service_over
from tests.support.otlp_door import JSON, PROTOBUF, Door, make_span, new_trace, request_of
from tests.support.read_back import read_back

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

QUICK = ("--batch-wait-s=0.02", "--root-quiet-s=0.05", "--no-root-quiet-s=0.05", "--poll-s=0.05")
STORED_S = 60.0
LIMIT = 1 << 20
"""The limit of requests in the suite; filling the recommended 64 MiB would only take longer."""


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    """Start the service of a module, with limits of 1 MiB for a request and 4 MiB in flight."""
    limits = (f"--max-request-bytes={LIMIT}", f"--max-in-flight-bytes={4 * LIMIT}")
    started = start_shared_spanloom("serve", *QUICK, *limits)
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def door(spanloom: RunningSpanloom) -> Iterator[Door]:
    """Return clients of the module's service."""
    with Door(spanloom.addresses) as opened:
        yield opened


@pytest.fixture(scope="module")
def full_door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """Return clients of a service whose store is down and whose spool is full."""
    with (
        pytest.MonkeyPatch.context() as patched,
        service_over(
            store := failing_store(patched), tmp_path_factory.mktemp("full") / "data"
        ) as service,
        Door(service.addresses) as opened,
    ):
        store.is_down = True
        large = make_span(new_trace())
        for size in (400_000, 100_000, 10_000, 500):
            large.name = "x" * size
            while opened.post(request_of(large)).status_code == 200:
                pass
        yield opened


class Locked(NamedTuple):
    """A service with keys, in which each project may store only one byte."""

    door: Door
    ingest: str
    read: str


@pytest.fixture(scope="module")
def locked(
    start_shared_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Locked]:
    """Start a service with a key for ingest and a key for reading."""
    data = tmp_path_factory.mktemp("locked") / "data"
    ingest, read = (
        run_spanloom(
            "keys", "create", "--project=p", f"--scopes={scope}", f"--data-dir={data}"
        ).stdout.strip()
        for scope in ("ingest", "read")
    )
    started = start_shared_spanloom("serve", "--project-stored-bytes=1", data_dir=data)
    started.wait_until_ready()
    with Door(started.addresses) as opened:
        yield Locked(opened, ingest, read)


class Kept(NamedTuple):
    """The response to a sample, and its spans as read from the store."""

    answer: ExportTraceServiceResponse
    spans: list[Span]


@pytest.fixture(scope="module")
def archive(
    start_shared_spanloom: StartSpanloom, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Kept]:
    """Send every sample, kill the service, start it again, and read what is stored.

    Every sample thus goes through the spool's recovery and a kill right after its response.
    """
    data = tmp_path_factory.mktemp("archive") / "data"
    first = start_shared_spanloom("serve", "--batch-wait-s=60", data_dir=data)
    answers = {}
    with Door(first.addresses) as opened:
        for name, sample in SAMPLES.items():
            answer = opened.post(sample.body, JSON if sample.is_json else PROTOBUF)
            assert answer.status_code == 200, f"{name}: {answer.text}"
            answers[name] = ExportTraceServiceResponse()
            if not sample.is_json:
                answers[name].ParseFromString(answer.content)
            else:
                assert answer.json() == {}, name
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    second = start_shared_spanloom("serve", *QUICK, data_dir=data)
    second.wait_until_ready()
    with Door(second.addresses) as opened:
        until = time.monotonic() + STORED_S
        while opened.metric("spanloom_spool_records "):
            assert time.monotonic() < until, "the spool is not empty"
            time.sleep(0.05)
    assert second.stop() == 0
    ids = {name: trace_id_of(name) for name in SAMPLES}
    traces = read_back(f"chdb://{data.absolute() / 'store'}", list(ids.values()))
    return {name: Kept(answers[name], spans_of(traces[ids[name]])) for name in SAMPLES}


def spans_of(otlp: bytes) -> list[Span]:
    """Return the spans of an encoded trace, sorted by id, of any resource and scope."""
    trace = TracesData.FromString(otlp)
    scopes = [scope for resource in trace.resource_spans for scope in resource.scope_spans]
    return sorted((span for scope in scopes for span in scope.spans), key=lambda s: s.span_id)
