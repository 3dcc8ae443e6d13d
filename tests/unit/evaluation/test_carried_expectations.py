"""A run that was read from another system's row is judged by the expectations in that row."""

from __future__ import annotations

from typing import Any

import pytest

from spanloom.core.exchange.sources import reader_of
from spanloom.core.formats.readers import Located, Reading, Taken
from spanloom.evaluation.evaluate import evaluate

ROW = {
    "request_id": "q1",
    "request": "What is RAG?",
    "response": "Retrieval.",
    "retrieved_context": [{"doc_uri": "a.md"}, {"doc_uri": "c.md"}],
    "expected_retrieved_context": [{"doc_uri": "a.md"}, {"doc_uri": "b.md"}],
}
RECALL = {"kind": "databricks", "metrics": ["retrieval/ground_truth/document_recall"]}


def run_of(form: str, row: dict[str, Any]) -> Any:
    (read,) = reader_of(form).read([Located("row 1", row)], Reading(form))
    assert isinstance(read, Taken), read
    return read.document


def recall(row: dict[str, Any], **more: Any) -> tuple[str, object]:
    (result,) = evaluate(run_of("databricks", row), RECALL, **more)
    return result["status"], result["value"]


def test_columns_of_the_row_are_what_is_expected() -> None:
    assert recall(ROW) == ("ok", 0.5)
    assert recall({**ROW, "expected_retrieved_context": None})[0] == "na"


def test_an_item_counts_in_place_of_the_row() -> None:
    expected = {"retrieved_context": [{"doc_uri": "c.md"}]}
    assert recall(ROW, expected=expected) == ("ok", 1.0)


@pytest.mark.parametrize("column", ["expected_retrieved_context", "expected_facts"])
def test_a_column_of_another_shape_is_an_error(column: str) -> None:
    (result,) = evaluate(run_of("databricks", {**ROW, column: "a.md"}), RECALL)
    assert (result["status"], result["error_code"]) == ("error", "unreadable_expected")
    assert column in result["rationale"]
