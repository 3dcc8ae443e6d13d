"""Writers of all formats, and readers of OTLP and documents, raise only documented errors."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.test_any_value_any_reader import VALUES, changed, damaged
from tests.properties.test_assessed_runs import documents
from tests.properties.test_exchange_coze_snorkel import documents as drafted
from tests.properties.test_messages_exchanged import extracted
from tests.support.drafted import planner
from tests.support.examples import examples

from spanloom.client.transfer.documents import groups_of, is_document, read_run
from spanloom.client.transfer.items import read_groups
from spanloom.client.transfer.sent_spans import SentSpans
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.otlp import Traces
from spanloom.core.exchange.verdicts import verdicts_of
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Losses, NotHeldError
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

WRITTEN = formats_of(Of.RUN, Via.QUERY)


@pytest.mark.parametrize("name", WRITTEN)
@settings(max_examples=examples(500, 10))
@given(st.data())
def test_any_run_is_written_or_not_held(name: str, data: st.DataObject) -> None:
    document = data.draw(drafted() | extracted() | documents())
    losses = Losses()
    try:
        body = WRITTEN[name].load_writer()(
            Stored(orjson.dumps(document), verdicts_of(document)), losses
        )
    except NotHeldError:
        return
    lines = body.splitlines() if WRITTEN[name].suffix == ".jsonl" else [body]
    assert all(map(orjson.loads, lines))
    assert losses.counts.total() >= len(losses.listed)


@settings(max_examples=examples(1_000, 25))
@given(VALUES | damaged("canonical"))
def test_any_json_is_a_document_or_refused(value: Any) -> None:
    if is_document(value):
        with suppress(InvalidRequestError):
            assert len(read_run(value, None).trace_id) == 32


SPANS = {"resourceSpans": groups_of(read_run(planner(), None))}


@settings(max_examples=examples(1_000, 25))
@given(st.data())
def test_any_json_is_spans_or_refused(data: st.DataObject) -> None:
    value = data.draw(VALUES | changed(SPANS))
    service = SentSpans(lambda _: [b""])
    assert service.has(dump(value)) in (True, False)
    traces = Traces(None)
    with suppress(InvalidRequestError, ValueError):
        traces.add(read_groups(value))
    for stored in traces.documents():
        assert len(stored.view.id) == 32
