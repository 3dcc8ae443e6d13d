"""Reads MLflow's LangChain spans beyond their type: run metadata, shape and chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.run import RunMetadata, read_metadata_text
from spanloom.core.dialects.otel_genai.dialect import OPERATION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span


def run_metadata(span: Span) -> RunMetadata:
    """Read LangChain's run metadata."""
    return read_metadata_text(span.name, span.attributes.get("metadata", ""))


def is_nameless_prebuilt_loop(span: Span, view: TraceView) -> bool:
    """Return whether it is ``create_react_agent``'s graph, in the mode that drops span names.

    Its node ``agent`` runs a function that runs the sequence of prompt and model. If the
    function's children are reported as its siblings, it encloses the sequence in time. Nodes
    written by authors do not look like this.
    """
    return OPERATION in span.attributes and any(
        view.remember(run_metadata, node).node == "agent" and _runs_call_model(node, view)
        for node in view.tree.children(span)
    )


def _runs_call_model(node: Span, view: TraceView) -> bool:
    inside = view.tree.children(node)
    if not inside:
        return False
    function, place = inside[0], view.remember(run_metadata, node)[-2:]
    if run := view.tree.children(function):
        is_same_node = view.remember(run_metadata, run[0])[-2:] == place
        return len(run) == 1 and is_same_node and bool(view.tree.children(run[0]))
    return any(
        function.start_ns <= s.start_ns and s.end_ns <= function.end_ns and view.tree.children(s)
        for s in inside[1:]
    )


def streamed(span: Span) -> Iterator[str]:
    """Yield the streamed chunks, last one first: usage comes at the end."""
    return (e.attributes.get("chunk", "") for e in reversed(span.events) if e.name == "new_token")
