"""Reads OpenLLMetry's attributes: operation, kind, name and LangChain's run metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.langchain.run import (
    RunMetadata,
    read_metadata,
    read_prefixed_metadata,
)
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.values.attributes import first, json_field

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

SPAN_KIND = "traceloop.span.kind"
ENTITY_NAME = "traceloop.entity.name"
ASSOCIATION = "traceloop.association.properties."
_INTEGRATION = ASSOCIATION + "ls_integration"
_RETRIEVE = "vector_db_retrieve"
_NAMED_FIRST = frozenset({"execute_task", "execute_tool"})
_NAMED_LAST = frozenset({"workflow", "task", "agent", "tool"})
_CALL_NAMES = frozenset({"chat", "completion", "response", "embeddings"})


def operation_of(span: Span) -> str:
    """Return the operation, else the last part of a call's name: ``openai.chat`` → ``chat``."""
    attributes = span.attributes
    if operation := first(attributes, OPERATION, "llm.request.type"):
        return operation
    if SPAN_KIND in attributes:
        return _RETRIEVE if span.name.startswith(_RETRIEVE) else ""
    word = span.name.rpartition(".")[2]
    return word if word in _CALL_NAMES else ""


def entity_name(span: Span) -> str:
    """Return the entity's name, else derive it from the span: ``planner.agent`` → ``planner``."""
    if name := span.attributes.get(ENTITY_NAME):
        return name
    word, _, rest = span.name.partition(" ")
    if rest and word in _NAMED_FIRST:
        return rest
    name, _, suffix = span.name.rpartition(".")
    return name if suffix in _NAMED_LAST else ""


def span_kind_of(span: Span) -> str:
    """Return the span kind; before 0.60 a missing kind is derived from the name ``X.tool``."""
    attributes = span.attributes
    if (
        (kind := attributes.get(SPAN_KIND))
        or ENTITY_NAME not in attributes
        or OPERATION in attributes
    ):
        return kind or ""
    return span.name.rpartition(".")[2]


def run_metadata(span: Span) -> RunMetadata:
    """Return the run metadata, which before 0.60 is only inside the JSON of the input."""
    attributes = span.attributes
    name = entity_name(span) or attributes.get("gen_ai.agent.name") or span.name
    if OPERATION in attributes or _INTEGRATION in attributes:
        return read_prefixed_metadata(name, attributes, ASSOCIATION)
    inside = json_field(attributes.get("traceloop.entity.input", ""), "metadata")
    return read_metadata(name, inside if isinstance(inside, dict) else {})
