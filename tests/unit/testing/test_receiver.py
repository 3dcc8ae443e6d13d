"""The receiver on loopback takes OTLP in each form, and refuses everything else."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import httpx
import orjson
import pytest
from tests.support.otlp_requests import message_of, wire_span

from spanloom.testing.blocks import blocks_of_process
from spanloom.testing.receiver import receiving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.testing.blocks import Block
    from spanloom.testing.receiver import Receiver

pytestmark = pytest.mark.service
TRACE = "cd" * 16
PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}
SPAN = {"traceId": TRACE, "spanId": "01" * 8, "name": "act"}
BODY = orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


@pytest.fixture
def block(receiver: Receiver) -> Iterator[Block]:
    assert receiver.port
    found = blocks_of_process().begin()
    yield found
    blocks_of_process().end(found, 0)
    blocks_of_process().forget(found)
    blocks_of_process()._owners.clear()


def post(receiver: Receiver, content: object, headers: dict[str, str], to: str = "traces") -> int:
    url = f"{receiver.url}/v1/{to}"
    return httpx.post(url, content=content, headers=headers).status_code  # type: ignore[arg-type]


def test_spans_are_taken_in_each_form(receiver: Receiver, block: Block) -> None:
    body = message_of([wire_span(TRACE, 1)]).SerializeToString()
    packed = {**PROTOBUF, "Content-Encoding": "gzip"}
    assert post(receiver, body, PROTOBUF) == 200
    assert post(receiver, gzip.compress(body), packed) == 200
    assert post(receiver, iter([body[:9], body[9:]]), PROTOBUF) == 200
    assert post(receiver, BODY, JSON) == 200
    assert post(receiver, b"anything", PROTOBUF, "logs") == 200
    assert len(block.groups) == 4
    assert block.is_whole


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b"\xff" * 9, PROTOBUF),
        (b"no gzip", {**PROTOBUF, "Content-Encoding": "gzip"}),
        (b"[]", JSON),
        (b'{"resourceSpans": 1}', JSON),
        (BODY.replace(TRACE.encode(), b"12"), JSON),
    ],
)
def test_what_is_no_otlp_is_refused(
    receiver: Receiver, block: Block, content: bytes, headers: dict[str, str]
) -> None:
    assert post(receiver, content, headers) == 400
    assert block.groups == []


def test_the_variables_name_it_and_no_other(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://elsewhere")
    monkeypatch.setenv("NO_PROXY", "example.org")
    receiver.set_variables(monkeypatch)
    assert os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] == receiver.url
    assert "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" not in os.environ
    assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"
