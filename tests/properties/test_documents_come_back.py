"""A document that is imported is the same when its spans are read, or it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture, all_captures
from tests.support.spans import make_span
from tests.support.traces import KEY, traces

from spanloom.core.dialects.registry import find_dialect
from spanloom.core.errors import InvalidRequestError
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.formats.imported import carry, find_loss
from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.model.span import Span

Document = dict[str, Any]
BY_FOLDER = sorted({capture.dialect for capture in all_captures()})
RUN = extract_capture(Capture("openinference-langchain", "parallel_tools"))[0].document
ATTRIBUTES = sorted({key for span in carry(RUN) for key in span.attributes})
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def document_of(key: TraceKey, spans: Iterable[Span]) -> Document:
    trajectory = extract(key, spans)
    assert orjson.loads(encode_spans(trajectory))
    document: Document = orjson.loads(encode_document(trajectory, 1, Status.SETTLED))
    return document


def back(document: Document, spans: Iterable[Span]) -> Document:
    return document_of(TraceKey("elsewhere", document["id"]), spans)


@pytest.mark.parametrize("folder", BY_FOLDER)
def test_every_captured_run_comes_back(folder: str) -> None:
    for capture in all_captures():
        if capture.dialect != folder:
            continue
        for answer in extract_capture(capture):
            spans = carry(answer.document)
            assert {find_dialect(span).id for span in spans} == {"imported"}
            assert find_loss(answer.document, back(answer.document, spans)) is None, capture.id


@given(traces())
@settings(max_examples=examples(100))
def test_any_run_comes_back(spans: list[Span]) -> None:
    document = document_of(KEY, spans)
    try:
        carriers = carry(document)
    except InvalidRequestError:  # invalid ids, or times before the epoch
        return
    assert find_loss(document, back(document, carriers)) is None


def test_a_loss_is_found_wherever_it_is() -> None:
    again = back(RUN, carry(RUN))
    assert find_loss(RUN, again) is None
    again["agent_steps"][0]["steps"][1]["basic_info"]["duration"] += "0"
    assert find_loss(RUN, again) == "agent_steps.0.steps.1.basic_info.duration"
    again = back(RUN, carry(RUN))
    again["extraction"]["warnings"] = ["another"]
    assert find_loss(RUN, again) == "extraction.warnings"


@pytest.mark.parametrize("missing", range(len(carry(RUN))))
def test_until_all_spans_are_there_the_run_is_what_its_steps_say(missing: int) -> None:
    spans = [*carry(RUN)]
    del spans[missing]
    assert back(RUN, spans)["extraction"]["dialects"] == ["imported"]


def test_spans_that_the_run_sent_itself_count_beside_the_copy() -> None:
    (own, *_), spans = [make_span(77, 0)], carry(RUN)
    own = own._replace(trace_id=RUN["id"])
    assert back(RUN, [*spans, own])["extraction"]["dialects"] == ["fallback", "imported"]


def test_what_an_earlier_document_left_is_no_step() -> None:
    """The later document has one step less, and the span of that step is still stored."""
    before = [span._replace(row_version=1) for span in carry(RUN)]
    shorter = orjson.loads(orjson.dumps(RUN))
    gone = shorter["agent_steps"][-1]["steps"].pop()
    after = [span._replace(row_version=2) for span in carry(shorter)]
    replaced = {span.span_id for span in after}
    left = [span for span in before if span.span_id not in replaced]
    assert [span.span_id for span in left] == [gone["id"]]
    again = back(shorter, [*after, *left])
    assert again["agent_steps"] == shorter["agent_steps"]
    assert again["extraction"]["step_counts"]["other"] == again["extraction"]["span_count"] - sum(
        n for name, n in shorter["extraction"]["step_counts"].items() if name != "other"
    )


@given(st.data(), st.sampled_from(ATTRIBUTES), ANY_JSON)
@settings(max_examples=examples(200))
def test_whatever_such_spans_say_there_is_a_document(
    data: st.DataObject, key: str, value: object
) -> None:
    """Spans that carry a document can have any content, because any client can send them."""
    spans = [*carry(RUN)]
    at = data.draw(st.sampled_from([n for n, s in enumerate(spans) if key in s.attributes]))
    said = value if isinstance(value, str) else dump(value).decode()
    spans[at] = spans[at]._replace(attributes={**spans[at].attributes, key: said})
    assert back(RUN, spans)["id"] == RUN["id"]


@given(st.text(), ANY_JSON)
def test_no_member_is_taken_that_no_document_has(name: str, value: object) -> None:
    told = {**RUN["extraction"], f"x{name}": value, "cost": {"usd": 1, f"x{name}": value}}
    again = back(RUN, carry(orjson.loads(dump({**RUN, "extraction": told}))))["extraction"]
    assert again.keys() == {*RUN["extraction"], "cost"}
    assert again["cost"] == {"usd": 1}
