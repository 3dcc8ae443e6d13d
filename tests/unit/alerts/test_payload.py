"""Payloads for alert channels: Spanloom's own JSON, Slack's format and Alertmanager's format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from spanloom.alerts.definition import AlertDefinition
from spanloom.alerts.payload import alertmanager_of, message_for, payload_of, slack_of
from spanloom.core.model.alert import AlertEvent, AlertState

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BASE = "https://agents.example.com"
LINE = AlertDefinition.model_validate({"where": 'has(tool = "refund")', "severity": "critical"})
NUMBER = AlertDefinition.model_validate(
    {"metric": "rate(error)", "by": "agent", "window": "15m", "above": 0.2}
)
STEP = {"step_id": "00f067aa0ba902b7", "name": "refund", "type": "tool"}
SHOWN = {"name": "planner", "question": "<!channel> & more", "evidence": [STEP], "steps": ["1"]}
PLACE = ("shop", "unverified refunds", 2, "e1", 1, AlertState.FIRING, 1_769_860_800_123_456)
FIRED = AlertEvent(*PLACE, TRACE, 3)
TAKEN = replace(
    FIRED,
    number=2,
    state=AlertState.WITHDRAWN,
    at_us=FIRED.at_us + 5_000_000,
    reason={"version": 4, "late_spans": ["1"]},
)
HIGH = AlertEvent(*PLACE, group=["triage"], episode=1, value=0.5)


def told(event: AlertEvent, shown: Any = SHOWN, asked: AlertDefinition = LINE) -> dict[str, Any]:
    return payload_of(event, shown, asked, BASE)


def test_a_run_is_told_with_its_evidence() -> None:
    assert told(FIRED) == {
        "format": "spanloom.alert/1",
        "id": "e1",
        "alert": "unverified refunds",
        "alert_version": 2,
        "state": "firing",
        "at": "1769860800123",
        "project": "shop",
        "trace_id": TRACE,
        "version": 3,
        "name": "planner",
        "question": "<!channel> & more",
        "evidence": [STEP],
        "severity": "critical",
        "url": f"{BASE}/trajectories/{TRACE}?project=shop",
    }
    assert told(TAKEN)["reason"] == {"version": 4, "late_spans": ["1"]}


def test_of_a_deleted_run_nothing_is_told_but_that() -> None:
    payload = told(replace(TAKEN, reason={"deleted": True}), {})
    assert (payload["evidence"], payload["reason"]) == ([], {"deleted": True})
    assert not payload.keys() & {"name", "question"}


def test_a_number_is_told_with_its_threshold() -> None:
    payload = told(HIGH, {}, NUMBER)
    assert (payload["value"], payload["threshold"], payload["window"]) == (0.5, 0.2, "15m")
    assert payload["group"] == {"agent": "triage"}
    assert payload["url"] == f"{BASE}/alerts?name=unverified+refunds&project=shop"


def test_slack_takes_no_text_of_a_run_for_a_mention() -> None:
    text = slack_of(told(TAKEN))["text"]
    assert text.splitlines()[:2] == [
        "*unverified refunds* withdrawn · planner",
        "&lt;!channel&gt; &amp; more",
    ]
    assert "withdrawn by version 4 of the run; late spans: 1" in text
    assert f"<{BASE}/trajectories/{TRACE}?project=shop|e1>" in text
    assert "triage 0.5 (threshold 0.2, 15m)" in slack_of(told(HIGH, {}, NUMBER))["text"]


def test_alertmanager_knows_it_by_its_labels_and_its_end() -> None:
    (fired,) = alertmanager_of(told(FIRED), FIRED.at_us)
    (taken,) = alertmanager_of(told(TAKEN), FIRED.at_us)
    assert (
        fired["labels"]
        == taken["labels"]
        == {
            "alertname": "unverified refunds",
            "project": "shop",
            "id": "e1",
            "severity": "critical",
            "trace_id": TRACE,
        }
    )
    assert "endsAt" not in fired
    assert (taken["startsAt"], taken["endsAt"]) == ("2026-01-31T12:00:00Z", "2026-01-31T12:00:05Z")
    assert fired["annotations"]["evidence"] == "refund"
    (number,) = alertmanager_of(told(HIGH, {}, NUMBER), HIGH.at_us)
    assert number["labels"]["group_agent"] == "triage"


def test_a_channel_is_told_in_its_form() -> None:
    payload = told(FIRED)
    assert message_for("webhook", payload, 0) == payload
    assert message_for("slack", payload, 0) == slack_of(payload)
    assert message_for("alertmanager", payload, 0) == alertmanager_of(payload, 0)
