"""Changes captured spans into those of other senders, versions and settings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.mutations import cut_at, without

from spanloom.core.conventions.event_messages import DETAILS
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.model.span import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.model.span import Span

    Change = Callable[[Span], Span]

KINDS = (
    *("openinference.span.kind", "traceloop.span.kind", "mlflow.spanType", "cozeloop.span_type"),
    "langfuse.observation.type",
)
LIMIT = 4096
MESSAGES = (
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions"),
    "gen_ai.tool.definitions",
)
_COUNTS = {
    "gen_ai.usage.input_tokens": "gen_ai.usage.prompt_tokens",
    "gen_ai.usage.output_tokens": "gen_ai.usage.completion_tokens",
    "gen_ai.usage.prompt_tokens": "llm.usage.prompt_tokens",
    "gen_ai.usage.completion_tokens": "llm.usage.completion_tokens",
    "gen_ai.usage.cache_read.input_tokens": "gen_ai.usage.cached_tokens",
    "llm.token_count.prompt": "gen_ai.usage.input_tokens",
    "llm.token_count.completion": "gen_ai.usage.output_tokens",
    "ai.usage.promptTokens": "ai.usage.inputTokens",
    "ai.usage.completionTokens": "ai.usage.outputTokens",
}
_BARE_COUNTS = {key: key.rsplit(".", 1)[1] for key in list(_COUNTS)[:4]} | {
    "llm.token_count.prompt": "prompt_tokens",
    "llm.token_count.completion": "completion_tokens",
}
_UNREADABLE_COUNTS = {key: f"acme.{i}.tokens" for i, key in enumerate(_COUNTS)}


def _attributes(change: Callable[[Mapping[str, str]], dict[str, str]]) -> Change:
    return lambda span: span._replace(attributes=change(span.attributes))


def _renamed(names: Mapping[str, str]) -> Change:
    return _attributes(lambda held: {names.get(k, k): v for k, v in held.items()})


def _reset(keys: tuple[str, ...], value: str) -> Change:
    return _attributes(lambda held: {k: value if k in keys else v for k, v in held.items()})


def _details_in_event(span: Span) -> Span:
    moved = {key: text for key in MESSAGES if (text := span.attributes.get(key))}
    if not moved:
        return span
    rest = {key: text for key, text in span.attributes.items() if key not in moved}
    return span._replace(attributes=rest, events=[*span.events, Event(span.end_ns, DETAILS, moved)])


def _encoded_twice(span: Span) -> Span:
    attributes = {key: _once_more(text) for key, text in span.attributes.items()}
    return span._replace(attributes=attributes)


def _once_more(text: str) -> str:
    if text[:1] not in ("{", "["):
        return text
    try:
        json.loads(text)
    except ValueError:
        return text
    return json.dumps(text)


CHANGES: Mapping[str, Change] = {
    "operation dropped": without({OPERATION}),
    "unknown operation": _reset((OPERATION,), "frobnicate"),
    "unknown kind": _reset(KINDS, "frobnicate"),
    "synonyms of counts": _renamed(_COUNTS),
    "counts without a prefix": _renamed(_BARE_COUNTS),
    "counts under unknown names": _renamed(_UNREADABLE_COUNTS),
    "messages in an event": _details_in_event,
    "values cut": cut_at(LIMIT),
    "JSON encoded twice": _encoded_twice,
    "scopes renamed": lambda span: span._replace(scope_name="my.company.tracing"),
    "ends lost": lambda span: span._replace(end_ns=0),
    "every second end lost": lambda span: (
        span._replace(end_ns=0) if int(span.span_id[:4], 16) % 2 else span
    ),
}
