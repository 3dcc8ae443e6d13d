"""Compares a ledger with the contents of the API and the store once all is settled."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from typing import TYPE_CHECKING

import httpx
from tests.support.stored import read_stored

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.ledger import Account

QUIET_S = 60.0
PAGE = 500


def check_api(api: str, account: Account) -> set[str]:
    """Wait until every acknowledged span is stored, and assert that each is stored once.

    Return the keys of all stored spans.
    """
    with httpx.Client(base_url=api, timeout=20) as client:
        until = time.monotonic() + QUIET_S
        _await_empty_spool(client, until)
        found: set[str] = set()
        for trace_id, span_ids in account.acknowledged_by_trace().items():
            found |= _check_trace(client, trace_id, span_ids, account, until)
        acknowledged = set(account.acknowledged_by_trace())
        # A document is stored a moment before its row in the list.
        while not dict(listed := _list_all(client)).keys() >= acknowledged:
            assert time.monotonic() < until, acknowledged - dict(listed).keys()
            time.sleep(0.05)
        counts = dict(listed)
        assert len(listed) == len(counts), "a trajectory is listed twice"
        assert counts.keys() <= {key.partition("/")[0] for key in account.sent}
        _check_counts(client, counts, found)
        return found


def check_spans(api: str, account: Account) -> None:
    """Wait until acknowledged spans are stored; assert that each is listed once, in one run."""
    with httpx.Client(base_url=api, timeout=20) as client:
        until = time.monotonic() + QUIET_S
        traces = account.acknowledged_by_trace()
        for trace_id, span_ids in traces.items():
            _check_trace(client, trace_id, span_ids, account, until)
        while traces.keys() - dict(listed := _list_all(client)).keys():
            assert time.monotonic() < until, "a trace is not listed"
            time.sleep(0.2)
        assert len(listed) == len(dict(listed)), "a trajectory is listed twice"


def check_store(data_dir: Path, account: Account, in_api: set[str]) -> None:
    """Assert, from a stopped service's files, that the spool is empty and each span has one row."""
    with sqlite3.connect(data_dir / "spool.sqlite") as spool:
        waiting = "SELECT (SELECT count(*) FROM requests), (SELECT count(*) FROM dead_letters)"
        assert spool.execute(waiting).fetchone() == (0, 0)
    spool.close()
    stored = read_stored(data_dir)
    copies = stored["copies"]
    for counts in (copies, stored["views"]):
        assert {key: n for key, n in counts.items() if n != 1} == {}
    assert account.acknowledged <= copies.keys() <= account.sent.keys()
    known = account.acknowledged_by_trace()
    assert in_api == {key for key in copies if key.partition("/")[0] in known}


def _await_empty_spool(api: httpx.Client, until: float) -> None:
    while "\nspanloom_spool_records 0.0\n" not in (text := api.get("/metrics").text):
        assert time.monotonic() < until, f"the spool is not empty after {QUIET_S:g} s"
        time.sleep(0.05)
    assert "\nspanloom_spans_rejected_total{" not in text
    assert "\nspanloom_dead_letters_total 0.0\n" in text


def await_under_way(api: str) -> None:
    """Wait until a service has begun to read the body of a request."""
    until = time.monotonic() + QUIET_S
    while "\nspanloom_in_flight_bytes 0.0\n" in httpx.get(f"{api}/metrics").text:
        assert time.monotonic() < until, "nothing has come"
        time.sleep(0.05)


def _check_trace(
    api: httpx.Client, trace_id: str, acknowledged: set[str], account: Account, until: float
) -> set[str]:
    """Assert that each span of a trace is stored once and unchanged; return the spans' keys."""
    while True:
        answer = api.get(f"/v1/trajectories/{trace_id}/spans")
        spans = answer.json()["spans"] if answer.status_code == 200 else []
        names = {f"{trace_id}/{span['span_id']}": span["name"] for span in spans}
        missing = {f"{trace_id}/{span_id}" for span_id in acknowledged} - names.keys()
        if not missing:
            break
        assert time.monotonic() < until, f"acknowledged, not there: {sorted(missing)}"
        time.sleep(0.05)
    assert len(names) == len(spans), f"a span of {trace_id} is there twice"
    assert names == {key: account.sent[key].name for key in names}
    return set(names)


def _check_counts(api: httpx.Client, listed: Mapping[str, int], found: set[str]) -> None:
    """Assert that listed span counts are right; if one differs, check the current document."""
    counts = Counter(key.partition("/")[0] for key in found)
    for trace_id in (trace for trace, count in counts.items() if listed[trace] != count):
        document = api.get(f"/v1/trajectories/{trace_id}").json()
        spans = api.get(f"/v1/trajectories/{trace_id}/spans").json()["spans"]
        assert document["extraction"]["span_count"] == len(spans)


def _list_all(api: httpx.Client) -> list[tuple[str, int]]:
    """Return each listed trajectory with its number of spans."""
    listed: list[tuple[str, int]] = []
    cursor = ""
    while True:
        parameters = {
            "limit": str(PAGE),
            "duplicate": "any",
            **({"cursor": cursor} if cursor else {}),
        }
        page = api.get("/v1/trajectories", params=parameters).json()
        listed += [(item["trace_id"], item["span_count"]) for item in page["items"]]
        cursor = page["next_cursor"]
        if not cursor:
            return listed
