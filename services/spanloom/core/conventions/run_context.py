"""Reads the context of a run: service, environment, user, tags, cost, metadata, redactions."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.meanings import (
    CONVERSATIONS,
    MAX_KEY_CHARS,
    OTHER_CONVENTIONS,
)
from spanloom.core.messages.wire import as_text, compact
from spanloom.core.values.attributes import decimal, first, json_object, json_value, unquoted
from spanloom.core.values.bounds import FREE_BYTES, ByteCache

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import Facts, Span

OWN = "metadata."
"""Prefix of metadata that the sender added itself: ``metadata.team``."""
MAX_OWN = 50
"""Maximum number of metadata entries that the sender added; ``MAX_CHARS`` limits each entry's
characters."""
MAX_CHARS = 1_000
MAX_COST = 10**9
"""Upper bound of a call's cost, in any currency; a larger number is ignored."""

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
_OF_VENDORS = re.compile(
    r"(?:^|[._])(?P<word>conversation|thread|chat|session)[._]id$"
    r"|(?P<inner>[cC]onversation|[tT]hread|[cC]hat|[sS]ession)I[dD]$"
)
"""Suffixes of any sender's keys that name a conversation: ``agno.session_id``."""
_MAY_NAME = frozenset({"metadata", "session", "log"})
_NO_CONVERSATION = re.compile(
    rf"^(?:mcp|langsmith\.trace|{'|'.join(w for w in OTHER_CONVENTIONS if w not in _MAY_NAME)})\."
    r"|^(?:thread|session)\.id$|(?:^|[._])rum(?:[._]|Session)"
)
"""Keys of ids that name no conversation: an operating system thread, the session of a browser or a
transport, a project of LangSmith."""
_WORDS = ("conversation", "thread", "chat", "session")
_OF_SERVERS = ("http.", "url.")
"""Prefixes of web servers' attributes; a session on such a span is a browser session."""
_MIN_SYSTEM_DIGITS = 4
"""A thread number with at least this many digits is an operating system thread."""
_TAGS = ("langfuse.trace.tags", "tag.tags", "langsmith.span.tags", "ai.telemetry.metadata.tags")
_COST = (
    "gen_ai.cost.total_cost",  # LiteLLM
    "litellm.cost.total",
    "gen_ai.usage.cost",  # OpenLIT
    "llm.cost.total",  # OpenInference
    "operation.cost",  # Pydantic AI and Logfire
)
_COST_DETAILS = "langfuse.observation.cost_details"
_METADATA = "metadata"
"""Attribute of OpenInference and MLflow with a JSON object."""
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
"""Metadata that is shown elsewhere, or call settings that some callbacks add to the metadata."""
_EMPTY: Sequence[object] = (None, "", [], {})
_STEP_TAGS = ("seq:step:", "graph:step:", "map:key:")
"""Prefixes of tags that LangChain sets on the steps of a chain."""


class ContextKeys(NamedTuple):
    """The keys of a span's attributes that hold run context; most spans have none."""

    environment: Sequence[str]
    user: Sequence[str]
    tags: Sequence[str]
    cost: Sequence[str]
    own: Sequence[tuple[str, str]]
    """Keys of metadata that the sender added itself, each with its name without a prefix."""
    conversation: Sequence[str]
    conversation_by_ending: Sequence[str]
    """Keys of any sender whose suffix names a conversation."""
    has_metadata: bool
    has_cost_details: bool


def find_context_keys(keys: Collection[str]) -> ContextKeys:
    """Return those of ``keys`` whose attributes hold run context."""
    own = [(key, _name_of(key)) for key in keys if key.startswith(_PREFIXES)]
    return ContextKeys(
        environment=[key for key in _ENVIRONMENT if key in keys],
        user=[key for key in _USER if key in keys],
        tags=[key for key in _TAGS if key in keys],
        cost=[key for key in _COST if key in keys],
        own=[(key, name) for key, name in own if _is_own(name)],
        conversation=[key for key in CONVERSATIONS if key in keys],
        conversation_by_ending=_conversations(keys),
        has_metadata=_METADATA in keys,
        has_cost_details=_COST_DETAILS in keys,
    )


def _conversations(keys: Collection[str]) -> Sequence[str]:
    """Return the keys whose suffix names a conversation, the most specific word first."""
    found = [
        (_WORDS.index((match["word"] or match["inner"]).lower()), len(key), key)
        for key in keys
        if len(key) <= MAX_KEY_CHARS
        and key[-2:].lower() == "id"
        and (match := _OF_VENDORS.search(key))
        and not _NO_CONVERSATION.search(key)
    ]
    words = len(_WORDS) - any(key.startswith(_OF_SERVERS) for key in keys)
    return [key for rank, _, key in sorted(found) if rank < words]


def _find_conversation(attributes: Mapping[str, str], keys: ContextKeys) -> str:
    """Return the first conversation id under these keys; empty if there is none."""
    if keys.conversation and (known := unquoted(first(attributes, *keys.conversation))):
        return known
    for key in keys.conversation_by_ending:
        named = unquoted(attributes[key])
        if named and not _is_system_thread(key, named):
            return named
    return _read_metadata(attributes[_METADATA]).conversation if keys.has_metadata else ""


def _is_system_thread(key: str, value: str) -> bool:
    is_number = value.isdecimal() and len(value) >= _MIN_SYSTEM_DIGITS
    return is_number and "thread" in key.lower()


def note_context(facts: Facts, span: Span, keys: ContextKeys) -> None:
    """Add the span's run context to the metadata; values set by the dialect take precedence.

    The conversation id is set in the same way, from the first key that has one.
    """
    if not facts.conversation_id:
        facts.conversation_id = _find_conversation(span.attributes, keys)
    context = dict(_context(span, keys))
    if context:
        facts.metadata = {**context, **facts.metadata}


def _context(span: Span, keys: ContextKeys) -> Iterator[tuple[str, str]]:
    attributes = span.attributes
    metadata = _read_metadata(attributes[_METADATA]) if keys.has_metadata else _NO_METADATA
    if span.service_name:
        yield "service_name", span.service_name
    environment = first(attributes, *keys.environment) if keys.environment else ""
    if environment := span.environment or environment:
        yield "environment", environment
    user = unquoted(first(attributes, *keys.user)) if keys.user else ""
    if user := user or metadata.user:
        yield "user_id", user
    if keys.tags and (tags := _tags(first(attributes, *keys.tags))):
        yield "tags", tags
    if (keys.cost or keys.has_cost_details) and (cost := _cost(attributes, keys.cost)):
        yield "reported_cost", cost
    for name, value in islice(_own(attributes, metadata, keys.own), MAX_OWN):
        yield OWN + name, value[:MAX_CHARS]


class _Metadata(NamedTuple):
    """The context in the JSON object of one ``metadata`` attribute."""

    user: str = ""
    """The user id in LangChain's run metadata."""
    own: Sequence[tuple[str, str]] = ()
    conversation: str = ""


_NO_METADATA = _Metadata()
CACHE_BYTES = 4 * 2**20
"""Size of the metadata cache; consecutive spans of one node have the same metadata."""
_metadata: ByteCache[str, _Metadata] = ByteCache(CACHE_BYTES)


def _read_metadata(text: str) -> _Metadata:
    if (read := _metadata.get(text)) is None:
        fields = json_object(text)
        user = fields.get("user_id")
        own = [(n, as_text(v)) for n, v in fields.items() if _is_own(n) and v not in _EMPTY]
        named = (fields[key] for key in _conversations(fields))
        conversation = next((text for text in named if isinstance(text, str)), "")
        read = _Metadata(user if isinstance(user, str) else "", own, conversation)
        if len(text) <= FREE_BYTES:  # longer ones are read each time, to note them as unread
            _metadata.keep(text, read, 3 * sys.getsizeof(text) + 500)
    return read


def _tags(text: str) -> str:
    """Return the tags as a JSON list; LangSmith separates them by commas."""
    if not text:
        return ""
    value = json_value(text) if text.startswith("[") else text.split(",")
    items = value if isinstance(value, list) else []
    tags = [item.strip() for item in items if isinstance(item, str)]
    kept = [tag for tag in dict.fromkeys(tags) if tag and not tag.startswith(_STEP_TAGS)]
    return compact(list(kept)) if kept else ""


def _cost(attributes: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return the model call's cost in the sender's currency.

    The result is empty if the cost is unknown, negative, 0 (as OpenLIT writes) or above
    ``MAX_COST``.
    """
    text = first(attributes, *keys)
    if not text and _COST_DETAILS in attributes:
        text = as_text(json_object(attributes[_COST_DETAILS]).get("total"))
    cost = decimal(text)
    return text if cost is not None and 0 < cost <= MAX_COST else ""


def _own(
    attributes: Mapping[str, str], metadata: _Metadata, keys: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    yield from metadata.own
    for key, name in keys:
        if value := unquoted(attributes[key]):
            yield name, value


def _name_of(key: str) -> str:
    return next(key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix))


def _is_own(name: str) -> bool:
    return not name.startswith(_FOREIGN) and name not in _KNOWN


ATTRIBUTE = "spanloom.redacted"
"""The attribute with the number of redacted values per redaction rule."""
_COUNTS = re.compile(r"[a-z][a-z0-9_-]{0,39}=\d{1,9}(?:,[a-z][a-z0-9_-]{0,39}=\d{1,9}){0,99}")
_WARNING = "{n} values were redacted before they were stored: {rules}"


def write_counts(counts: Mapping[str, int]) -> str:
    """Return the counts per rule as text of the redaction attribute: ``cards=2,passwords=1``."""
    return ",".join(f"{rule}={n}" for rule, n in sorted(counts.items()))


def read_counts(text: str) -> Counter[str]:
    """Return the counts per rule; empty if the text is not in the form of ``write_counts``."""
    if not _COUNTS.fullmatch(text):
        return Counter()
    entries = (entry.split("=") for entry in text.split(","))
    return Counter({rule: int(n) for rule, n in entries})


def redaction_warnings(spans: Iterable[Span]) -> list[str]:
    """Return one warning with the number of redacted values per rule; empty if there are none."""
    counts: Counter[str] = Counter()
    for span in spans:
        if text := span.attributes.get(ATTRIBUTE):
            counts += read_counts(text)
        for event in span.events:  # content events have their own counts
            if text := event.attributes.get(ATTRIBUTE):
                counts += read_counts(text)
    if not counts:
        return []
    rules = ", ".join(f"{rule} {n}" for rule, n in sorted(counts.items()))
    return [_WARNING.format(n=counts.total(), rules=rules)]
