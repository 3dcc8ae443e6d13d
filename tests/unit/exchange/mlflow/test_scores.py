"""Assessments of MLflow traces are read as scores, and scores are written as assessments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mlflow.entities import Trace
from tests.support import scored
from tests.support.drafted import planner
from tests.support.mlflow_traces import ROOT, TOOL, TRACE, version_3

from spanloom.core.document import Document
from spanloom.core.exchange.mlflow.reader import TRACES
from spanloom.core.exchange.mlflow.rows import expectations_of
from spanloom.core.exchange.mlflow.writer import write_trace
from spanloom.core.exchange.scored import current
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading, Taken
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]
MS = 1_715_400_002_000


def feedback(name: str, value: object, **members: Any) -> Json:
    return {
        "assessment_name": name,
        "source": {"source_type": "LLM_JUDGE", "source_id": "judge"},
        "create_time": "2024-05-11T04:00:02Z",
        "last_update_time": "2024-05-11T04:00:02Z",
        "feedback": {"value": value},
        **members,
    }


def read(trace: Json) -> Taken:
    (found,) = TRACES.read([Located("line 1", trace)], Reading("mlflow"))
    assert isinstance(found, Taken), found
    return found


def assessed(*assessments: object) -> Taken:
    trace = version_3()
    trace["info"]["assessments"] = list(assessments)
    return read(trace)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (feedback("a", True), {"value": True, "value_type": "boolean", "source": "llm"}),
        (feedback("a", 3), {"value": 3, "value_type": "number", "at": MS}),
        (feedback("a", "polite"), {"value": "polite", "value_type": "category"}),
        (feedback("a", [1, "b"]), {"value": '[1,"b"]', "value_type": "text"}),
        (feedback("a", None), {"status": "na"}),
        (feedback("a", 1, source={"source_type": "HUMAN", "source_id": "ada"}), {"author": "ada"}),
        (feedback("a", 1, source={"source_type": "HUMAN"}), {"source": "human"}),
        (feedback("a", 1, source={"source_type": "CODE"}), {"source": "code"}),
        (feedback("a", 1, source=None), {"source": "import", "author": "default"}),
        (feedback("a", 1, span_id=ROOT), {"target": "trajectory"}),
        (feedback("a", 1, span_id=TOOL), {"target": "step", "step_id": TOOL}),
        (feedback("a", 1, span_id="qgAAAAAAAAA="), {"target": "span"}),
        (feedback("a", 1, rationale="why"), {"rationale": "why", "trace_id": TRACE}),
        (
            feedback("a", 1, feedback={"error": {"error_code": "E", "error_message": "slow"}}),
            {"status": "error", "error_code": "E", "rationale": "slow"},
        ),
        (
            feedback("a", 1, metadata={"mlflow.assessment.judgeInputTokens": "7"}),
            {"input_tokens": 7},
        ),
    ],
)
def test_a_feedback_is_a_score(given: Json, expected: Json) -> None:
    found = assessed(given)
    (row,) = found.scores
    assert {name: row.get(name) for name in expected} == expected
    assert found.losses.counts[Code.SCORES_DROPPED] == 0


def test_what_overrides_is_a_revision_and_another_authors_score_is_taken_back() -> None:
    by_ada = {"source": {"source_type": "HUMAN", "source_id": "ada"}}
    found = assessed(
        feedback("a", 1, assessment_id="1", valid=False),
        feedback("a", 2, assessment_id="2", valid=False, overrides="1"),
        feedback("a", 3, assessment_id="3", overrides="2", **by_ada),
    )
    shown = [(row["author"], row["value"], row["at"] - MS) for row in found.scores]
    assert shown == [("judge", 1, 0), ("judge", 2, 1), ("judge", 2, 2), ("ada", 3, 2)]
    assert [row["value"] for row in current(found.scores)] == [3]


def test_an_expectation_is_what_is_expected_of_the_run() -> None:
    listed = {"serialized_value": {"value": "[1]", "serialization_format": "JSON_FORMAT"}}
    found = assessed(
        feedback("facts", None, expectation=listed),
        feedback("one step's", None, expectation={"value": 1}, span_id=TOOL),
        {"assessment_name": "broken"},
        7,
    )
    assert expectations_of(Document(found.document)) == {"facts": [1]}
    assert found.losses.counts[Code.SCORES_DROPPED] == 2
    assert [row["name"] for row in found.scores] == ["broken"]


def written(rows: list[Json], losses: Losses | None = None) -> Json:
    stored = Stored(json.dumps(planner()).encode(), scores=rows)
    trace: Json = json.loads(write_trace(stored, losses or Losses()))
    return trace


def test_scores_come_back_as_they_were_and_mlflow_reads_them() -> None:
    rows = scored.rows()
    trace = written(rows)
    loaded = Trace.from_dict(trace)
    kinds = {(one.name, one.source.source_type, one.span_id) for one in loaded.info.assessments}
    assert {("number", "LLM_JUDGE", None), ("tone", "CODE", scored.TOOL)} <= kinds
    for again in (trace, json.loads(loaded.to_json())):
        back = read(again).scores
        assert [scored.compared(row) for row in back] == [scored.compared(row) for row in rows]
    second = written([dict(row) for row in read(trace).scores])
    ids = [one.pop("assessment_id") for one in trace["info"]["assessments"]]
    assert (len(set(ids)), second) == (len(rows), trace)


def test_scores_of_other_targets_are_counted() -> None:
    losses = Losses()
    other = scored.rows()[0] | {"target": "conversation"}
    assert "assessments" not in written([other], losses)["info"]
    assert losses.counts == {Code.SCORES_DROPPED: 1}
