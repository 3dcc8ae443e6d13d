"""What senders tell around a run: service, environment, user, tags, metadata of their own, cost.

Each instrumentation has its own attributes for it, and none of them means anything else: one table
does for all. What a framework notes for itself (LangGraph's ``langgraph_step``) is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.reading.messages.wire import as_text, compact
from spanloom.core.reading.values import (
    decimal,
    first,
    json_field,
    json_object,
    json_value,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.model.normalized import Facts
    from spanloom.core.model.span import Span

OWN = "metadata."
"""Before the names of the sender's own metadata: ``metadata.team``."""
MAX_OWN = 50
"""So many of the sender's own metadata are shown, and of each so many characters."""
MAX_CHARS = 1_000
MAX_COST = 10**9
"""No call costs more, in whatever currency: a larger number is none."""

_ENVIRONMENT = (
    "deployment.environment.name",
    "deployment.environment",
    "langfuse.environment",
    "gen_ai.environment",
)
_USER = (
    "user.id",
    "gen_ai.user.id",
    "enduser.id",
    "langfuse.user.id",
    "gen_ai.request.user",
    "traceloop.association.properties.user_id",
    "langsmith.metadata.user_id",
    "langfuse.trace.metadata.user_id",
    "ai.telemetry.metadata.userId",
    "cozeloop.tag.user_id",
)
_TAGS = ("langfuse.trace.tags", "tag.tags", "langsmith.span.tags", "ai.telemetry.metadata.tags")
_COST = (
    "gen_ai.cost.total_cost",  # LiteLLM
    "gen_ai.usage.cost",  # OpenLIT
    "llm.cost.total",  # OpenInference
    "operation.cost",  # Pydantic AI and Logfire
)
_COST_DETAILS = "langfuse.observation.cost_details"
_METADATA = "metadata"
"""OpenInference's and MLflow's, a JSON object."""
_PREFIXES = (
    "langfuse.trace.metadata.",
    "langfuse.observation.metadata.",
    "langsmith.metadata.",
    "traceloop.association.properties.",
    "ai.telemetry.metadata.",
)
_FOREIGN = ("ls_", "lc_", "langgraph_", "checkpoint_", "LANGSMITH_", "LANGCHAIN_", "__", "_type")
_KNOWN = frozenset(
    (
        *("thread_id", "session_id", "sessionId", "conversation_id", "langfuse_session_id"),
        *("user_id", "userId", "langfuse_user_id", "tags", "langfuse_tags", "usage_metadata"),
        *("tool_call_id", "functionId", "entity_name", "entity_path", "workflow_name"),
        *("run_id", "graph_id", "assistant_id", "revision_id", "created_by", "run_attempt"),
        *("is_langchain_root", "versions", "strategy", "model", "model_name", "stream", "tools"),
        *("temperature", "max_tokens", "stop", "top_p", "seed", "n", "response_format"),
        *("tool_choice", "parallel_tool_calls"),
    )
)
"""What is shown elsewhere, or is a setting of the call that some callbacks note as metadata."""
_STEP_TAGS = ("seq:step:", "graph:step:", "map:key:")
"""How LangChain tags the links of a chain."""


def note_told(facts: Facts, span: Span) -> None:
    """Let the step show what its span tells; what a dialect has read of it already stays."""
    told = dict(_told(span))
    if told:
        facts.metadata = {**told, **facts.metadata}


def _told(span: Span) -> Iterator[tuple[str, str]]:
    attributes = span.attributes
    if span.service_name:
        yield "service_name", span.service_name
    if environment := span.environment or first(attributes, *_ENVIRONMENT):
        yield "environment", environment
    if user := unquoted(first(attributes, *_USER)) or _named_user(attributes):
        yield "user_id", user
    if tags := _tags(attributes):
        yield "tags", tags
    if cost := _cost(attributes):
        yield "reported_cost", cost
    for place, (name, value) in enumerate(_own(attributes)):
        if place == MAX_OWN:
            return
        yield OWN + name, value[:MAX_CHARS]


def _named_user(attributes: Mapping[str, str]) -> str:
    """Return the user whom LangChain's run metadata name."""
    user = json_field(attributes.get(_METADATA, ""), "user_id")
    return user if isinstance(user, str) else ""


def _tags(attributes: Mapping[str, str]) -> str:
    """Return the tags as a JSON list; LangSmith writes them with commas between."""
    text = first(attributes, *_TAGS)
    if not text:
        return ""
    value = json_value(text) if text.startswith("[") else text.split(",")
    items = value if isinstance(value, list) else []
    tags = [item.strip() for item in items if isinstance(item, str)]
    kept = [tag for tag in dict.fromkeys(tags) if tag and not tag.startswith(_STEP_TAGS)]
    return compact(list(kept)) if kept else ""


def _cost(attributes: Mapping[str, str]) -> str:
    """Return what the call cost, in the sender's currency; 0 is OpenLIT's word for no price."""
    text = first(attributes, *_COST)
    if not text and _COST_DETAILS in attributes:
        text = as_text(json_object(attributes[_COST_DETAILS]).get("total"))
    cost = decimal(text)
    return text if cost is not None and 0 < cost <= MAX_COST else ""


def _own(attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in json_object(attributes.get(_METADATA, "")).items():
        if _is_own(name) and value not in (None, "", [], {}):
            yield name, as_text(value)
    for key in filter(_has_prefix, attributes):
        name = next(key.removeprefix(p) for p in _PREFIXES if key.startswith(p))
        if _is_own(name) and (value := unquoted(attributes[key])):
            yield name, value


def _has_prefix(key: str) -> bool:
    return key.startswith(_PREFIXES)


def _is_own(name: str) -> bool:
    return not name.startswith(_FOREIGN) and name not in _KNOWN
