"""A secret that a rule covers is not stored, wherever in a request it is; no span is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.examples import examples

from spanloom.collector.intake.export import Exporter
from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.redaction.redactor import Redactor
from spanloom.collector.intake.redaction.rules import Action, Rule
from spanloom.collector.spool.spool import Spool
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from google.protobuf.message import Message

MARKED = "Zk3Vq8Rt5Yw1Xn6Mb4Lc9Jd2Hf7Gs0Pa8Ue1"
TOKEN = f"ghp_{MARKED}"  # what a recogniser finds
ACTIONS = st.sampled_from(Action)
AROUND = st.sampled_from(["", "see ", "{", '"', "[1, ", '{"a":"', "Ω\n", "\ufeff"])
TEXTS = st.tuples(AROUND, st.sampled_from(["", " .", "}", '"}', "]"])).map(TOKEN.join)
JSON = st.recursive(
    st.one_of(TEXTS, st.just(1), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from("abc"), TEXTS), inner, max_size=3),
        inner.map(json.dumps),
    ),
    max_leaves=6,
)


def written(value: object) -> AnyValue:
    """Return a JSON value as the value of an OTLP attribute."""
    if isinstance(value, list):
        made = AnyValue()
        made.array_value.values.extend(map(written, value))
        made.array_value.SetInParent()
        return made
    if isinstance(value, dict):
        made = AnyValue()
        made.kvlist_value.SetInParent()
        for key, item in value.items():
            made.kvlist_value.values.add(key=key, value=written(item))
        return made
    if isinstance(value, int):
        return AnyValue(int_value=value)
    return AnyValue(string_value=value) if isinstance(value, str) else AnyValue()


VALUES = st.one_of(
    JSON.map(written),
    JSON.map(lambda value: AnyValue(string_value=json.dumps(value))),
    JSON.map(lambda value: AnyValue(string_value=json.dumps(value, ensure_ascii=False, indent=1))),
    TEXTS.map(lambda text: AnyValue(bytes_value=text.encode())),
)
PLACES: list[Callable[[ExportTraceServiceRequest, AnyValue, str], object]] = [
    lambda r, v, _: span(r).attributes.add(key="any", value=v),
    lambda r, v, _: span(r).attributes.extend([KeyValue(key="k", value=v), KeyValue(key="k")]),
    lambda r, _, t: span(r).attributes.add(key=t),
    lambda r, v, _: span(r).events.add(name="e").attributes.add(key="any", value=v),
    lambda r, v, _: span(r).links.add(trace_id=b"1" * 16).attributes.add(key="any", value=v),
    lambda r, v, _: r.resource_spans[0].resource.attributes.add(key="any", value=v),
    lambda r, v, _: r.resource_spans[0].scope_spans[0].scope.attributes.add(key="any", value=v),
    lambda r, _, t: setattr(span(r), "name", t),
    lambda r, _, t: setattr(span(r), "trace_state", t),
    lambda r, _, t: setattr(span(r).status, "message", t),
    lambda r, _, t: span(r).events.add(name=t),
    lambda r, _, t: setattr(r.resource_spans[0], "schema_url", t),
    lambda r, _, t: setattr(r.resource_spans[0].scope_spans[0].scope, "version", t),
    lambda r, _, t: with_unknown(span(r), t),
    lambda r, _, t: with_unknown(span(r).attributes.add(key="any").value, t),
    lambda r, _, t: with_unknown(r, t),
]


def span(request: ExportTraceServiceRequest) -> Span:
    return request.resource_spans[0].scope_spans[0].spans[0]


def with_unknown(message: Message, text: str) -> None:
    """Add a text in fields 1000 and 1001, unknown to OTLP, whose range Spanloom itself uses."""
    encoded = text.encode()
    for tag in (b"\xc2\x3e", b"\xca\x3e"):
        message.MergeFromString(tag + bytes([len(encoded)]) + encoded)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("redaction")


def spooled(folder: Path, redactor: Redactor | None, body: bytes) -> tuple[bytes, int]:
    """Export a request; return all bytes of the spool's files and the number of spans in them."""
    for file in folder.iterdir():
        file.unlink()
    metrics = Metrics()
    spool = Spool(folder / "spool.sqlite", 1 << 30, metrics)
    Exporter(spool, metrics, Limits(), redactor=redactor).export_traces(body, "")
    spool.close()
    stored = b"".join(file.read_bytes() for file in folder.iterdir())
    return stored, int(metrics.spans_accepted._value.get())


def request_with(places: list[tuple[int, AnyValue, str]]) -> bytes:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    spans.extend(Span(trace_id=b"1" * 16, span_id=bytes([n]) * 8) for n in (1, 2))
    for place, value, text in places:
        PLACES[place](request, value, text)
    return request.SerializeToString()


PLACED = st.lists(st.tuples(st.integers(0, len(PLACES) - 1), VALUES, TEXTS), min_size=1, max_size=6)
QUICK = settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("action", Action)
@given(places=PLACED)
@QUICK
def test_what_a_recogniser_finds_is_not_written(
    action: Action, places: list[tuple[int, AnyValue, str]], folder: Path
) -> None:
    rule = Rule("tokens", action, recognisers=("secret",))
    redactor = Redactor([rule], b"k" * 32, Metrics())
    stored, spans = spooled(folder, redactor, request_with(places))
    assert MARKED.encode() not in stored
    assert spans == 2


@given(places=PLACED)
@QUICK
def test_without_content_no_text_is_written(
    places: list[tuple[int, AnyValue, str]], folder: Path
) -> None:
    texts = [p for p in places if p[0] not in _STRUCTURE]
    redactor = Redactor([], b"k" * 32, Metrics(), no_content=True)
    stored, spans = spooled(folder, redactor, request_with(texts))
    assert MARKED.encode() not in stored
    assert spans == 2


_STRUCTURE = {7, 8, 11, 12}
"""Places that stay, because they are structure: span names, trace states, schema URLs, versions."""


KEYS = ["password", "a.Password.b", "PASSWORD", "a" * 140 + ".password", "b" * 600 + "password"]
"""Short keys, one that is searched to its end, and one that is too long to be searched."""


@given(value=VALUES, key=st.sampled_from(KEYS))
@QUICK
def test_what_a_key_names_is_not_written(value: AnyValue, key: str, folder: Path) -> None:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    made = spans.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    made.attributes.add(key=key, value=value)
    made.attributes.add(key="map").value.kvlist_value.values.add(key=key, value=value)
    text = json.dumps({"x": [{key: MARKED, "a": {key: [MARKED]}}]})
    made.attributes.add(key="json").value.string_value = text
    hiding = f'{{"x": {{"{key}": "{MARKED}"}}, "x": 1}}'
    made.attributes.add(key="hiding").value.string_value = hiding
    redactor = Redactor([Rule("passwords", Action.MASK, keys=("*password*",))], b"", Metrics())
    stored, count = spooled(folder, redactor, request.SerializeToString())
    assert MARKED.encode() not in stored
    assert count == 1


@pytest.mark.parametrize("no_content", [True, False])
def test_references_to_entities_are_not_written(no_content: bool, folder: Path) -> None:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.entity_refs.add(schema_url=TOKEN, type=TOKEN, id_keys=[TOKEN])
    group.scope_spans.add().spans.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    rule = Rule("tokens", Action.MASK, recognisers=("secret",))
    redactor = Redactor([rule], b"k" * 32, Metrics(), no_content=no_content)
    stored, spans = spooled(folder, redactor, request.SerializeToString())
    assert MARKED.encode() not in stored
    assert spans == 1


def test_without_a_redactor_it_is_written(folder: Path) -> None:
    """As a control, the search finds the secret where nothing is redacted."""
    body = request_with([(0, AnyValue(string_value=TOKEN), "")])
    assert MARKED.encode() in spooled(folder, None, body)[0]
