"""Any evaluation result or Langfuse score that is sent becomes a bounded score or is refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from spanloom.collector.doors.langfuse.scores import encode_scores, read_score
from spanloom.core.conventions.evaluations import NAME, OWN, VALUE
from spanloom.core.errors import InvalidRequestError
from spanloom.core.model.score import OF_A_RUN
from spanloom.core.model.span import Event, TraceKey
from spanloom.core.ports.spans import Unplaced
from spanloom.core.records.score import ScoreItem
from spanloom.core.scoring.otlp import is_writable, write_results
from spanloom.core.scoring.placing import list_waiting
from spanloom.core.scoring.results import LONGEST_NAME, LONGEST_RATIONALE, SOURCES

if TYPE_CHECKING:
    from spanloom.core.model.score import Score

KEYS = [
    *(NAME, VALUE, "gen_ai.evaluation.score.label", "gen_ai.evaluation.explanation"),
    *("gen_ai.evaluation.test_pass", "gen_ai.evaluation.evaluator.name", "error.type"),
    *("gen_ai.response.id", "otel.scope.name", "service.name"),
    *(OWN + name for name in ("source", "target", "value_type", "status", "passed", "evidence")),
    *(OWN + name for name in ("repeat", "cost", "text", "input_tokens", "is_complete", "item")),
]
TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["1", "0.5", "NaN", "inf", "-1e400", "true", "boolean", "text", "human", "llm", "step"]
    ),
    st.sampled_from(["9" * 5_000, "x" * 30_000, "[]", '[{"step_id": 1}]', "{}"]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
BODIES = st.dictionaries(
    st.sampled_from(
        ["traceId", "observationId", "name", "value", "dataType", "comment", "id", "configId"]
    ),
    JSON | st.sampled_from(["NUMERIC", "BOOLEAN", "TEXT", "CORRECTION", 0, 1, "a" * 32]),
)


@given(
    attributes=st.dictionaries(st.sampled_from(KEYS), TEXTS),
    time_ns=st.integers(0, 2**64 - 1),
    span_id=st.sampled_from(["", "a" * 16]),
)
def test_any_result_is_a_score_that_can_be_shown_and_sent_again(
    attributes: dict[str, str], time_ns: int, span_id: str
) -> None:
    event = Event(time_ns, "gen_ai.evaluation.result", attributes)
    key = TraceKey("p", "b" * 32)
    found = list_waiting(key, [Unplaced(span_id, event)])
    assert len(found) == bool(attributes.get(NAME, "").strip())
    for score in found:
        check_bounds(score)
        row: dict[str, Any] = orjson.loads(ScoreItem.made_of(score).model_dump_json())
        assert is_writable(row)
        assert orjson.loads(write_results([row]))


def check_bounds(score: Score) -> None:
    assert len(score.name) <= LONGEST_NAME
    assert len(score.rationale) <= LONGEST_RATIONALE
    assert score.source in SOURCES
    assert score.target in OF_A_RUN
    assert score.number is None or math.isfinite(score.number)
    assert score.number is None or score.status == "ok"
    assert 0 <= score.repeat < 2**32


@given(body=BODIES)
def test_any_body_of_langfuse_is_stored_or_refused(body: dict[str, Any]) -> None:
    try:
        score = read_score(body, "event", 7)
    except InvalidRequestError:
        return
    assert encode_scores([score], b"")
