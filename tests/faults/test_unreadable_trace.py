"""A trace that the engine cannot read is shown as failed, and other traces are built.

The engine itself refuses the read, because the extractor's connection gets too little memory for
the large trace, as on a machine with little memory.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import httpx
from tests.conftest import START_S
from tests.support.otlp_requests import message_of, wire_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.conftest import StartSpanloom

LARGE = f"{500:032x}"
NEIGHBOURS = [f"{n:032x}" for n in range(480, 521) if n != 500]
LITTLE_MEMORY = 32 << 20
"""Bytes of memory: enough for any granule (10 MB), as other traces may share one with the large
trace, but not enough for the whole large trace."""
RUN_WITH_LITTLE_MEMORY = f"""
from spanloom.storage import store
store.WORKER_SETTINGS = {{**store.WORKER_SETTINGS, "max_memory_usage": {LITTLE_MEMORY}}}
from spanloom.__main__ import main
main()
"""
WHOLE = ("-m", "spanloom")
SPANS, SPAN_BYTES, SPANS_PER_REQUEST = 640, 100_000, 80


@contextmanager
def serving(
    start: StartSpanloom,
    data_dir: Path,
    code: str = "",
    retention_days: int = 0,
    options: Sequence[str] = (),
) -> Iterator[dict[str, str]]:
    """Run the service and yield its addresses; ``code``, if given, is the program to run it."""
    entry = ("-c", code) if code else WHOLE
    named = (f"--retention-days={retention_days}", *options)
    spanloom = start("serve", *named, data_dir=data_dir, entry=entry, fresh=bool(code))
    yield spanloom.addresses
    assert spanloom.stop() == 0, spanloom.log


def send(addresses: dict[str, str], body: bytes) -> None:
    url = f"{addresses['otlp_http']}/v1/traces"
    answer = httpx.post(
        url, content=body, headers={"content-type": "application/x-protobuf"}, timeout=30
    )
    assert answer.status_code == 200


def large_trace() -> Iterator[bytes]:
    """Yield the requests of an incompressible trace of 64 MB, the one with the root last."""
    random = Random(7)
    for first in range(SPANS - SPANS_PER_REQUEST + 1, 0, -SPANS_PER_REQUEST):
        spans = [
            wire_span(
                LARGE, n, min(n - 1, 1), attributes={"x": random.randbytes(SPAN_BYTES // 2).hex()}
            )
            for n in range(first, first + SPANS_PER_REQUEST)
        ]
        yield message_of(spans).SerializeToString()


def extraction(api: str, trace_id: str, *wanted: str) -> dict[str, Any]:
    """Wait until the trajectory has a wanted status; return the ``extraction`` of its document."""
    until = time.monotonic() + START_S
    said: dict[str, Any] = {}
    while time.monotonic() < until:
        answer = httpx.get(f"{api}/v1/trajectories/{trace_id}", timeout=30)
        said = answer.json().get("extraction", {}) if answer.status_code == 200 else {}
        if said.get("status") in wanted:
            return said
        time.sleep(0.1)
    raise AssertionError(f"{trace_id} is {said}, not {wanted}")


def test_a_trace_that_cannot_be_read_is_shown_as_failed_and_its_neighbours_are_built(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    not_while_it_grows = ["--growing-first-s=60"]  # else it is first built in part
    little = serving(
        start_spanloom, tmp_path / "data", RUN_WITH_LITTLE_MEMORY, options=not_while_it_grows
    )
    with little as addresses:
        api = addresses["api"]
        for body in large_trace():
            send(addresses, body)
        send(addresses, message_of([wire_span(t, 1) for t in NEIGHBOURS]).SerializeToString())
        for trace_id in NEIGHBOURS:
            assert extraction(api, trace_id, "settled")["span_count"] == 1
        failed = extraction(api, LARGE, "failed")
        assert failed["span_count"] == SPANS
        assert "memory" in failed["warnings"][0].lower()
        listed = httpx.get(f"{api}/v1/trajectories?status=failed").json()["items"]
        assert [item["trace_id"] for item in listed] == [LARGE]
        assert "\nspanloom_traces_quarantined 1.0\n" in httpx.get(f"{api}/metrics").text
        send(addresses, message_of([wire_span("ee" * 16, 1)]).SerializeToString())
        extraction(api, "ee" * 16, "settled")
    with serving(start_spanloom, tmp_path / "data") as addresses:
        assert extraction(addresses["api"], LARGE, "settled")["span_count"] == SPANS
        assert (
            "\nspanloom_traces_quarantined 0.0\n" in httpx.get(f"{addresses['api']}/metrics").text
        )
