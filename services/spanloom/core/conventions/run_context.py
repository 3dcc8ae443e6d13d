"""What senders report around a run: service, environment, user, tags, metadata, redactions."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.wire import as_text, compact
from spanloom.core.values.attributes import decimal, first, json_object, json_value, unquoted
from spanloom.core.values.bounds import FREE_BYTES, ByteCache

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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
_EMPTY: Sequence[object] = (None, "", [], {})
_STEP_TAGS = ("seq:step:", "graph:step:", "map:key:")
"""How LangChain tags the links of a chain."""


class ToldBy(NamedTuple):
    """The attributes that tell something, of spans that have the same keys: most have none."""

    environment: Sequence[str]
    user: Sequence[str]
    tags: Sequence[str]
    cost: Sequence[str]
    own: Sequence[tuple[str, str]]
    """Keys of the sender's own metadata, and what each is called."""
    has_metadata: bool
    has_cost_details: bool


def told_by(keys: Collection[str]) -> ToldBy:
    """Return by which of these keys something is told."""
    own = [(key, _name_of(key)) for key in keys if key.startswith(_PREFIXES)]
    return ToldBy(
        environment=[key for key in _ENVIRONMENT if key in keys],
        user=[key for key in _USER if key in keys],
        tags=[key for key in _TAGS if key in keys],
        cost=[key for key in _COST if key in keys],
        own=[(key, name) for key, name in own if _is_own(name)],
        has_metadata=_METADATA in keys,
        has_cost_details=_COST_DETAILS in keys,
    )


def note_told(facts: Facts, span: Span, by: ToldBy) -> None:
    """Let the step show what its span tells; what a dialect has read of it already stays."""
    told = dict(_told(span, by))
    if told:
        facts.metadata = {**told, **facts.metadata}


def _told(span: Span, by: ToldBy) -> Iterator[tuple[str, str]]:
    attributes = span.attributes
    metadata = _read_metadata(attributes[_METADATA]) if by.has_metadata else _NO_METADATA
    if span.service_name:
        yield "service_name", span.service_name
    if environment := span.environment or first(attributes, *by.environment):
        yield "environment", environment
    if user := unquoted(first(attributes, *by.user)) or metadata.user:
        yield "user_id", user
    if by.tags and (tags := _tags(first(attributes, *by.tags))):
        yield "tags", tags
    if (by.cost or by.has_cost_details) and (cost := _cost(attributes, by.cost)):
        yield "reported_cost", cost
    for name, value in islice(_own(attributes, metadata, by.own), MAX_OWN):
        yield OWN + name, value[:MAX_CHARS]


class _Metadata(NamedTuple):
    """What one JSON object of metadata tells."""

    user: str = ""
    """The user whom LangChain's run metadata name."""
    own: Sequence[tuple[str, str]] = ()


_NO_METADATA = _Metadata()
CACHE_BYTES = 4 * 2**20
"""Of metadata that are kept: spans of one node have the same, one after the other."""
_metadata: ByteCache[str, _Metadata] = ByteCache(CACHE_BYTES)


def _read_metadata(text: str) -> _Metadata:
    if (read := _metadata.get(text)) is None:
        found = json_object(text)
        user = found.get("user_id")
        own = [(n, as_text(v)) for n, v in found.items() if _is_own(n) and v not in _EMPTY]
        read = _Metadata(user if isinstance(user, str) else "", own)
        if len(text) <= FREE_BYTES:  # only of a longer one it must be told that it was not read
            _metadata.keep(text, read, 3 * sys.getsizeof(text) + 500)
    return read


def _tags(text: str) -> str:
    """Return the tags as a JSON list; LangSmith writes them with commas between."""
    if not text:
        return ""
    value = json_value(text) if text.startswith("[") else text.split(",")
    items = value if isinstance(value, list) else []
    tags = [item.strip() for item in items if isinstance(item, str)]
    kept = [tag for tag in dict.fromkeys(tags) if tag and not tag.startswith(_STEP_TAGS)]
    return compact(list(kept)) if kept else ""


def _cost(attributes: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return what the call cost, in the sender's currency; 0 is OpenLIT's word for no price."""
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
"""The attribute that holds the counts, by the names of the rules."""
_COUNTS = re.compile(r"[a-z][a-z0-9_-]{0,39}=\d{1,9}(?:,[a-z][a-z0-9_-]{0,39}=\d{1,9}){0,99}")
_WARNING = "{n} values were redacted before they were stored: {rules}"


def write_counts(counts: Mapping[str, int]) -> str:
    """Return the attribute's text: ``cards=2,passwords=1``."""
    return ",".join(f"{rule}={n}" for rule, n in sorted(counts.items()))


def read_counts(text: str) -> Counter[str]:
    """Return the counts by rule; none if the text is not ours."""
    if not _COUNTS.fullmatch(text):
        return Counter()
    entries = (entry.split("=") for entry in text.split(","))
    return Counter({rule: int(n) for rule, n in entries})


def redaction_warnings(spans: Iterable[Span]) -> list[str]:
    """Return one line that says how much of a trace was redacted, by which rules; else none."""
    counts: Counter[str] = Counter()
    for span in spans:
        if text := span.attributes.get(ATTRIBUTE):
            counts += read_counts(text)
        for event in span.events:  # content events bring their own
            if text := event.attributes.get(ATTRIBUTE):
                counts += read_counts(text)
    if not counts:
        return []
    rules = ", ".join(f"{rule} {n}" for rule, n in sorted(counts.items()))
    return [_WARNING.format(n=counts.total(), rules=rules)]
