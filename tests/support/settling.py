"""Compares what a ledger says with what the API and the store give, once all is quiet."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING

import httpx
from tests.support.stored import read_stored

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.ledger import Account

QUIET_S = 60.0
PAGE = 500


def check_api(api: str, account: Account) -> set[str]:
    """Wait until every acknowledged span is there, then demand each once; give all that are."""
    with httpx.Client(base_url=api, timeout=20) as client:
        until = time.monotonic() + QUIET_S
        _await_empty_spool(client, until)
        found: set[str] = set()
        for trace_id, span_ids in account.acknowledged_by_trace().items():
            found |= _check_trace(client, trace_id, span_ids, account, until)
        listed = _list_all(client)
        assert len(listed) == len(set(listed)), "a trajectory is listed twice"
        assert set(listed) >= set(account.acknowledged_by_trace())
        assert set(listed) <= {key.partition("/")[0] for key in account.sent}
        return found


def check_store(data_dir: Path, account: Account, in_api: set[str]) -> None:
    """Demand the same of the files of a stopped service: spool empty, each span one row."""
    with sqlite3.connect(data_dir / "spool.sqlite") as spool:
        waiting = "SELECT (SELECT count(*) FROM requests), (SELECT count(*) FROM dead_letters)"
        assert spool.execute(waiting).fetchone() == (0, 0)
    spool.close()
    copies = read_stored(data_dir)["copies"]
    assert {key: n for key, n in copies.items() if n != 1} == {}
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
    """Demand of one trace that its spans are each there once, and as they were sent."""
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
    said = api.get(f"/v1/trajectories/{trace_id}").json()["extraction"]
    assert said["span_count"] == len(spans)
    return set(names)


def _list_all(api: httpx.Client) -> list[str]:
    listed: list[str] = []
    cursor = ""
    while True:
        parameters = {
            "limit": str(PAGE),
            "duplicate": "any",
            **({"cursor": cursor} if cursor else {}),
        }
        page = api.get("/v1/trajectories", params=parameters).json()
        listed += [item["trace_id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if not cursor:
            return listed
