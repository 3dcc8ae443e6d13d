"""A trace that never stops growing is shown in part, and other traces whole, seen from outside."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import httpx
from tests.conftest import START_S
from tests.faults.test_unreadable_trace import extraction, send, serving
from tests.support.otlp_requests import START_NS, message_of, wire_span
from tests.support.stored import read_stored

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartSpanloom

RUNAWAY = f"{500:032x}"
NEIGHBOURS = [f"{n:032x}" for n in range(480, 521) if n != 500]
CAP, SPANS, MORE = 1_000, 5_000, 500


def runaway(first: int, last: int) -> bytes:
    """Return a request with spans of the runaway trace, last ones first; number 1 is the root."""
    spans = [
        wire_span(RUNAWAY, n, min(n - 1, 1), start_ns=START_NS + 1000 * n)
        for n in range(last, first - 1, -1)
    ]
    return message_of(spans).SerializeToString()


def settled(api: str, trace_id: str, span_count: int) -> dict[str, Any]:
    """Wait until the trajectory has ``span_count`` spans; return its ``extraction``."""
    until = time.monotonic() + START_S
    while (told := extraction(api, trace_id, "settled", "live"))["span_count"] != span_count:
        assert time.monotonic() < until, told
        time.sleep(0.1)
    return told


def test_a_runaway_trace_is_shown_in_part_and_its_neighbours_whole(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    capped = serving(start_spanloom, tmp_path / "data", options=[f"--max-trace-spans={CAP}"])
    with capped as addresses:
        api = addresses["api"]
        for last in range(SPANS, 0, -1_000):
            send(addresses, runaway(last - 999, last))
        send(addresses, message_of([wire_span(t, 1) for t in NEIGHBOURS]).SerializeToString())
        for trace_id in NEIGHBOURS:
            told = extraction(api, trace_id, "settled")
            assert (told["span_count"], told["warnings"]) == (1, [])
        told = settled(api, RUNAWAY, SPANS)
        assert told["warnings"][0].startswith("1,000 of 5,000 spans are shown")
        assert shown(api) == [f"{n:016x}" for n in range(1, CAP + 1)]
        send(addresses, runaway(SPANS + 1, SPANS + MORE))
        later = settled(api, RUNAWAY, SPANS + MORE)
        assert later["version"] > told["version"]
        assert later["warnings"][0].startswith("1,000 of 5,500 spans are shown")
        assert shown(api) == [f"{n:016x}" for n in range(1, CAP + 1)]
    stored = read_stored(tmp_path / "data", RUNAWAY)
    assert len(stored["attributes"]) == SPANS + MORE


def shown(api: str) -> list[str]:
    """Return the ids of the spans that the API lists for the runaway trace, in order."""
    spans = httpx.get(f"{api}/v1/trajectories/{RUNAWAY}/spans").json()["spans"]
    return [span["span_id"] for span in spans]
