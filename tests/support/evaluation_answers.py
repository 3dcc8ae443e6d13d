"""Responses about rules and alerts in the service's format, and a page that gets them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support.interception import intercept

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.sync_api import Page
    from tests.support.interception import Held

AT = "1769860800000"
TRACE = f"{1:032x}"
STEP = f"{2:016x}"
MARKUP = "<img src=x onerror=alert(1)>"

RULE: dict[str, Any] = {
    "name": "limits",
    "project": "default",
    "version": 3,
    "where": "outcome = failed",
    "evaluators": [{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}],
    "sample": 0.1,
    "unit": "trace",
    "when": "settled",
    "delay_s": 0.0,
    "budget": {"usd": 1.5, "tokens": None, "calls": None, "runs": 1000},
    "backfill": {"from": AT, "to": None, "taken": 24, "done": False},
    "paused": False,
    "progress": {
        "pending": 2,
        "done": 12_000,
        "error": 1,
        "deferred": 7,
        "stale": 3,
        "lag_s": 83.4,
    },
    "put_by": "ada",
    "put_at": AT,
}
ALERT: dict[str, Any] = {
    "name": "unverified refunds",
    "project": "default",
    "version": 1,
    "where": 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")',
    **dict.fromkeys(("metric", "of", "by", "window", "above", "below", "at_least"), None),
    "channels": [{"kind": "webhook", "url": "https://hooks.example.com/***"}],
    "severity": "critical",
    "repeat_after": None,
    "paused": False,
    "waits_for_settled": True,
    "firing": 1,
    "put_by": "ada",
    "put_at": AT,
}
NUMBER: dict[str, Any] = {
    **ALERT,
    "name": "failing tools",
    "where": "type = tool",
    "metric": "rate(error)",
    "of": "steps",
    "by": "name",
    "window": "15m",
    "above": 0.2,
    "severity": "",
    "firing": 0,
    "waits_for_settled": False,
    "channels": [],
}
_TOLD = {"channel": "webhook https://hooks.example.com/***", "at": AT}
FIRING: dict[str, Any] = {
    "id": "9f2c4a1be07d5c3360f1a2b4c5d6e7f8",
    "number": 1,
    "alert": ALERT["name"],
    "alert_version": 1,
    "state": "firing",
    "at": AT,
    "project": "default",
    "trace_id": TRACE,
    "version": 2,
    "name": MARKUP,
    "question": "Refund order 7.",
    "evidence": [{"step_id": STEP, "name": "refund", "type": "tool"}],
    **dict.fromkeys(("group", "value", "threshold", "window", "reason"), None),
    "url": f"/trajectories/{TRACE}?project=default",
    "deliveries": [{**_TOLD, "state": "undelivered", "tries": 9, "error": "it answered 503"}],
}
WITHDRAWN: dict[str, Any] = {
    **FIRING,
    "id": "1" * 32,
    "number": 2,
    "state": "withdrawn",
    "reason": {"version": 3},
    "deliveries": [{**_TOLD, "state": "delivered", "tries": 1, "error": ""}],
}


def answer_with(page: Page, answers: Mapping[str, object]) -> list[tuple[str, str, str]]:
    """Answer requests by patterns of their path; return the sent requests: method, path, body."""
    sent: list[tuple[str, str, str]] = []

    def answer(held: Held) -> None:
        asked = held.request
        path = urlsplit(asked["url"]).path
        if asked["method"] != "GET":
            sent.append((asked["method"], path, asked.get("postData", "")))
        found = next((one for key, one in answers.items() if re.fullmatch(key, path)), None)
        if found is None:
            held.continue_()
        else:
            held.fulfill(json=found)

    intercept(page, "*/v1/*", answer)
    return sent
