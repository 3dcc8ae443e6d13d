"""Import of spans that a service has already: equal ones are left out, all others are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from tests.unit.client.test_import import JSON, REQUESTS, each_span

from spanloom.client.address import Address
from spanloom.client.transfer import sent_spans
from spanloom.client.transfer.scores import SentScores
from spanloom.client.transfer.sending import Sending
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spanloom.client.transfer.run_scores import Imported

GROUPS = [group for body in JSON for group in orjson.loads(body)["resourceSpans"]]
(TRACE,) = {
    span["traceId"] for group in GROUPS for scope in group["scopeSpans"] for span in scope["spans"]
}
KEY = TraceKey("default", TRACE)
COUNT = sum(len(list(each_span(orjson.loads(body)))) for body in JSON)


class Service:
    """A service that has ``spans``, and records the requests that it receives."""

    def __init__(self, spans: dict[TraceKey, Sequence[bytes]]) -> None:
        self.spans = spans
        self.asked: list[TraceKey] = []
        self.taken: list[Any] = []

    def find(self, key: TraceKey) -> Sequence[bytes]:
        self.asked.append(key)
        return self.spans.get(key, ())

    def take(self, request: httpx.Request) -> httpx.Response:
        self.taken.append(orjson.loads(request.content))
        return httpx.Response(200, json={})

    def send(self, path: Path, lines: Sequence[bytes], project: str | None = None) -> Imported:
        path.write_bytes(b"\n".join(lines))
        transport = Transport(
            Address("http://localhost", "key"), Patience(), httpx.MockTransport(self.take)
        )
        sending = Sending(transport, lambda _: None, lambda _: SentScores(), self.find)
        return sending.send(path, project, lambda *_: None)


def test_spans_that_are_there_are_not_sent(tmp_path: Path) -> None:
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", JSON)
    assert (done.accepted_spans, done.unchanged_runs, done.rejected) == (0, 1, [])
    assert service.taken == []
    assert service.asked == [KEY], "once, however many lines the trace takes"


def test_a_trace_that_is_not_there_is_sent(tmp_path: Path) -> None:
    service = Service({})
    done = service.send(tmp_path / "spans.jsonl", JSON)
    assert (done.accepted_spans, done.unchanged_runs) == (COUNT, 0)
    assert service.asked == [KEY]


@pytest.mark.parametrize("of", ["span", "scope", "resource"])
def test_what_differs_is_sent(of: str, tmp_path: Path) -> None:
    groups = orjson.loads(orjson.dumps(GROUPS))
    scope = groups[0]["scopeSpans"][0]
    told = {"span": scope["spans"][0], "scope": scope["scope"], "resource": groups[0]["resource"]}
    told[of].setdefault("attributes", []).append({"key": "new", "value": {"boolValue": True}})
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", [orjson.dumps({"resourceSpans": groups})])
    assert (done.accepted_spans, done.unchanged_runs) == (COUNT, 0)


def test_lines_of_which_one_differs_are_no_unchanged_run(tmp_path: Path) -> None:
    later = JSON[0].replace(b'"name"', b'"name":"later","was"', 1)
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", [*JSON, later])
    assert done.accepted_spans > 0
    assert done.unchanged_runs == 0
    assert len(service.taken) == 1


def test_a_part_that_is_missing_there_is_sent(tmp_path: Path) -> None:
    service = Service({KEY: [b""]})
    assert service.send(tmp_path / "spans.jsonl", JSON).accepted_spans == COUNT


def test_spans_are_compared_in_the_project_that_they_get(tmp_path: Path) -> None:
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", JSON, "other")
    assert done.accepted_spans == COUNT
    assert service.asked == [TraceKey("other", TRACE)]


@pytest.mark.parametrize("text", ["shop", "no\nname"])
def test_every_attribute_by_which_a_receiver_finds_a_project_counts(
    text: str, tmp_path: Path
) -> None:
    groups = orjson.loads(orjson.dumps(GROUPS))
    named = {"key": "openinference.project.name", "value": {"stringValue": text}}
    for group in groups:
        group["resource"].setdefault("attributes", []).extend([named, {"key": "without a value"}])
    service = Service({})
    service.send(tmp_path / "spans.jsonl", [orjson.dumps({"resourceSpans": groups})])
    assert service.asked == [TraceKey("shop" if text == "shop" else "default", TRACE)]


def test_defaults_that_are_spelled_out_and_order_make_no_difference(tmp_path: Path) -> None:
    groups = orjson.loads(orjson.dumps(GROUPS))
    for scope in (scope for group in groups for scope in group["scopeSpans"]):
        for span in scope["spans"]:
            span["traceId"] = span["traceId"].upper()
            for name, value in (("traceState", ""), ("parentSpanId", ""), ("links", [])):
                span.setdefault(name, value)
            span.get("attributes", []).reverse()
    groups[0]["resource"]["attributes"].reverse()
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", [orjson.dumps({"resourceSpans": groups})])
    assert (done.accepted_spans, done.unchanged_runs) == (0, 1)


@pytest.mark.parametrize(
    "line",
    [
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"no ids"}]}]}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7,"spanId":"x"}]}]}]}',
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"zz"}]}]}]}'
        % TRACE.encode(),
        b'{"resourceSpans":[{"resource":{"attributes":[7]},"scopeSpans":[{"spans":[{}]}]}]}',
    ],
)
def test_what_cannot_be_compared_is_left_to_the_receiver(line: bytes, tmp_path: Path) -> None:
    service = Service({KEY: REQUESTS})
    assert service.send(tmp_path / "spans.jsonl", [line]).unchanged_runs == 0
    assert len(service.taken) == 1


def test_a_bounded_number_of_spans_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_spans, "MOST_KEPT", 1)
    other = "0" * 31 + "1"
    copies = [body.replace(TRACE.encode(), other.encode()) for body in JSON]
    service = Service({KEY: REQUESTS})
    done = service.send(tmp_path / "spans.jsonl", [*JSON, *copies, *JSON])
    assert done.unchanged_runs == 1
    assert service.asked == [KEY, KEY._replace(trace_id=other), KEY]
