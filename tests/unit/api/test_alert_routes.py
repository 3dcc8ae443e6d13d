"""``/v1/alerts``: creation, trial, lists of alerts and events, and no secret in any answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.core.model.access import Reach, Scope
from spanloom.core.model.alert import (
    AlertEvent,
    AlertState,
    Delivery,
    DeliveryState,
    RunEvidence,
    channel_key,
)
from spanloom.core.model.span import TraceKey
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
LINE = 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")'
SLACK = {"kind": "slack", "url": "https://hooks.slack.com/services/T0/B0/secret"}
HOOK = {"kind": "webhook", "url": "https://hooks.example.com/a?token=secret", "secret_file": "/s"}
DEFINED = {"where": LINE, "for": "runs", "channels": [HOOK, SLACK], "severity": "critical"}
NUMBER = {"metric": "rate(error)", "by": "agent", "window": "15m", "above": 0.2, "at_least": 20}


class Served(NamedTuple):
    client: TestClient
    locks: Locks
    store: MemoryStore

    def ask(self, method: str, path: str = "", body: object = None, **more: str) -> Any:
        """Send a request, with ``key`` as its API key if given, and return the response."""
        key = more.pop("key", "")
        headers = {"x-spanloom-annotator": "ada", **({"x-api-key": key} if key else {})}
        url = f"/v1/alerts{path}"
        return self.client.request(method, url, json=body, params=more, headers=headers)


@pytest.fixture
def served() -> Iterator[Served]:
    locks, store = Locks(), MemoryStore()
    app = create_app(store, Metrics(), locks.access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        made = Served(client, locks, store)
        assert made.ask("PUT", "/refunds", DEFINED).status_code == 200
        yield made


def test_an_alert_is_made_listed_and_deleted(served: Served) -> None:
    made = served.ask("GET", "/refunds").json()
    assert (made["version"], made["where"], made["waits_for_settled"]) == (1, LINE, True)
    assert (made["firing"], made["paused"], made["put_by"]) == (0, False, "ada")
    assert served.ask("GET").json()["items"] == [made]
    number = served.ask("PUT", "/errors", NUMBER).json()
    assert {name: number[name] for name in NUMBER} == NUMBER
    assert (number["of"], number["where"], number["waits_for_settled"]) == ("runs", None, False)
    assert served.ask("DELETE", "/errors").json() == number
    assert served.ask("GET", "/errors").status_code == 404
    assert [one["name"] for one in served.ask("GET").json()["items"]] == ["refunds"]


def test_no_answer_has_a_secret(served: Served) -> None:
    shown = served.ask("GET", "/refunds").json()["channels"]
    assert [one["url"] for one in shown] == [
        "https://hooks.example.com/a?***",
        "https://hooks.slack.com/***",
    ]
    again = served.ask("PUT", "/refunds", {**DEFINED, "channels": shown, "paused": True})
    assert again.json()["channels"] == shown
    (stored,) = served.store.alerts.list(Reach.ALL)
    assert [one["url"] for one in stored.definition["channels"]] == [HOOK["url"], SLACK["url"]]


def test_events_have_their_run_and_their_deliveries(served: Served) -> None:
    key, channel = TraceKey("default", TRACE), channel_key("slack", SLACK["url"])
    fired = AlertEvent(
        *("default", "refunds", 1, "e1", 1, AlertState.FIRING, 1_769_860_800_000_000, TRACE, 2),
        channels=[channel, "gone"],
    )
    step = {"step_id": "00f067aa0ba902b7", "name": "refund", "type": "tool"}
    shown = {"name": "planner", "question": "Refund?", "evidence": [step], "steps": ["0"]}
    drained = replace(
        fired,
        number=2,
        state=AlertState.WITHDRAWN,
        at_us=fired.at_us + 1,
        version=3,
        reason={"version": 3, "late_spans": ["1"]},
    )
    served.store.alerts.add_events([fired, drained], [RunEvidence(key, "e1", 1, shown)])
    place = ("default", "refunds", "e1", 1, channel)
    served.store.alerts.add_deliveries([Delivery(*place, DeliveryState.DELIVERED, 1, fired.at_us)])
    newest, oldest = served.ask("GET", "/refunds/events").json()["items"]
    assert (newest["state"], newest["version"], newest["reason"]) == (
        "withdrawn",
        3,
        {"version": 3, "late_spans": ["1"]},
    )
    assert (oldest["id"], oldest["state"], oldest["trace_id"]) == ("e1", "firing", TRACE)
    assert (oldest["name"], oldest["question"], oldest["evidence"]) == (
        "planner",
        "Refund?",
        [step],
    )
    assert oldest["url"] == f"/trajectories/{TRACE}?project=default"
    assert [(one["channel"], one["state"], one["tries"]) for one in oldest["deliveries"]] == [
        ("slack https://hooks.slack.com/***", "delivered", 1),
        ("gone", "pending", 0),
    ]
    firing = served.ask("GET", "/refunds/events", state="firing", current="true").json()
    assert firing["items"] == []
    page = served.ask("GET", "/refunds/events", limit="1").json()
    assert page["items"] == [newest]
    rest = served.ask("GET", "/refunds/events", limit="1", cursor=page["next_cursor"]).json()
    assert (rest["items"], rest["next_cursor"]) == ([oldest], None)
    wrong = served.ask("GET", "/refunds/events", state="firing", cursor=page["next_cursor"])
    assert wrong.status_code == 422


def test_an_alert_is_tried_before_it_is_made(served: Served) -> None:
    told = served.ask("POST", "/test", {"where": LINE, "days": 30}).json()
    assert told == {"fired": 0, "of": 0, "waits_for_settled": True, "runs": [], "windows": []}
    assert served.ask("POST", "/test", NUMBER).json()["fired"] == 0
    assert served.ask("POST", "/test", {"where": "tol = 1"}).status_code == 422
    assert [one["name"] for one in served.ask("GET").json()["items"]] == ["refunds"]


def test_what_cannot_be_meant_is_named(served: Served) -> None:
    for body, place in (
        ({"where": 'has(tol = "x")'}, "where"),
        ({"where": LINE, "colour": 1}, "colour"),
        ({"where": LINE, "channels": [{"kind": "mail", "url": "x"}]}, "channels[0].kind"),
        ({"where": LINE, "channels": [{"kind": "webhook", "url": "x"}]}, "channels[0].url"),
        ({"metric": "rate(error)", "window": "15m", "above": "NaN"}, "above"),
    ):
        refused = served.ask("PUT", "/other", body)
        assert refused.status_code == 422, body
        assert refused.json()["errors"][0]["parameter"] == place
    for name in ("%20a", "..%2e", "x" * 101):
        assert served.ask("PUT", f"/{name}", DEFINED).status_code == 422, name


def test_a_key_opens_its_project_by_its_scope(served: Served) -> None:
    reads = served.locks.make("shop", Scope.READ)
    writes = served.locks.make("shop", Scope.READ, Scope.ANNOTATE)
    assert served.ask("PUT", "/mine", DEFINED, key=reads).status_code == 403
    assert served.ask("PUT", "/mine", DEFINED, key=writes).json()["project"] == "shop"
    assert [one["name"] for one in served.ask("GET", key=reads).json()["items"]] == ["mine"]
    assert served.ask("GET", "/refunds", key=reads).status_code == 404
    assert served.ask("GET", "/refunds/events", key=reads).status_code == 404
    assert served.ask("DELETE", "/mine", key=reads).status_code == 403
    assert served.ask("POST", "/test", DEFINED, key=reads, project="default").status_code == 403
