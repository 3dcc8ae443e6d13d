"""Checks rows by the schema of Databricks' Agent Evaluation, whose tool needs the platform."""

from __future__ import annotations

import json
from typing import Any

from tests.support.exchange_validators import mlflow as of_traces

COLUMNS = {
    *("request_id", "request", "expected_retrieved_context", "expected_response", "response"),
    *("retrieved_context", "trace", "expected_facts", "guidelines", "custom_expected"),
}


def check(body: bytes) -> None:
    """Raise if a row does not have the columns and types of the published schema."""
    row = json.loads(body)
    assert row.keys() <= COLUMNS
    assert isinstance(row["request_id"], str)
    _check_request(row["request"])
    assert "response" in row or "trace" in row
    assert isinstance(row["response"], str)
    for name in ("retrieved_context", "expected_retrieved_context"):
        for document in row.get(name, ()):
            assert isinstance(document["doc_uri"], str)
            assert isinstance(document.get("content", ""), str)
    of_traces.check(row["trace"].encode())


def _check_request(request: Any) -> None:
    if isinstance(request, str):
        return
    messages = request["messages"] if "messages" in request else request.get("history", [])
    assert all(isinstance(message["role"], str) for message in messages)
    assert "messages" in request or isinstance(request["query"], str)
