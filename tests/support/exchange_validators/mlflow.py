"""Validates a trace with MLflow: it is loaded, written back unchanged, and read by its helpers."""

from __future__ import annotations

import json
from typing import Any

import pytest


def import_mlflow(name: str) -> Any:  # its types are incomplete
    """Return a module of MLflow; skip the test if it is not installed."""
    return pytest.importorskip(f"mlflow.{name}", reason="mlflow-skinny is not installed")


def check(body: bytes) -> None:
    """Raise if MLflow, or a helper of its evaluation, does not understand a trace."""
    entities = import_mlflow("entities")
    trace_utils = import_mlflow("genai.utils.trace_utils")
    trace = entities.Trace.from_json(body.decode())
    again = json.loads(trace.to_json())
    sent = json.loads(body)
    assert again["data"] == sent["data"]
    assert again["info"]["trace_metadata"] == sent["info"]["trace_metadata"]
    assert again["info"]["tags"] == sent["info"]["tags"]
    assert isinstance(trace_utils.extract_request_from_trace(trace), str)
    assert isinstance(trace_utils.extract_response_from_trace(trace), str)
    trace_utils.extract_tools_called_from_trace(trace)
    trace_utils.extract_retrieval_context_from_trace(trace)
    trace_utils.resolve_conversation_from_session(
        [trace], include_tool_calls=True, include_timing=True
    )
