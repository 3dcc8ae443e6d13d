"""Scopes of instrumentations, and the attributes by which their spans are known without them.

Several libraries write the same attributes, and what a framework's own plumbing is shows in the
scope alone. Spans of other scopes are read by their attributes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import Span

_KNOWN = re.compile(
    r"openinference\.|@arizeai/|opentelemetry\.instrumentation\.|@opentelemetry/|@?traceloop|openlit"
    r"|langfuse|langsmith|logfire|pydantic.ai|mlflow|cozeloop|github\.com/cloudwego|gcp\.vertex\."
    r"|strands\.|agent_framework|autogen|haystack|litellm|com\.anthropic|org\.springframework"
    r"|@mastra|mcp|fastmcp|a2a|(?:ai|gen_ai|genkit\w*|livekit\S*|pipecat\S*|sentry\S*)$"
    r"|(?:Experimental\.)?(?:Microsoft|OpenAI)|semantic.kernel|io\.|spanloom"
    r"|opencode|codex|gemini|qwen|github\.copilot|[0-9a-f]{8}-[0-9a-f]{4}-",
    re.IGNORECASE,
)
"""Beginnings of the scopes of instrumentations; CozeLoop's for JavaScript is a random id."""
_MARKS = re.compile(
    r"(?:openinference|traceloop|langfuse|langsmith|mlflow|cozeloop|logfire|haystack|crewai"
    r"|gcp\.vertex|anthropic|runinfo|agent_framework|pydantic_ai|smolagents)\."
    r"|spring\.ai\.|ai\.(?:operationId|telemetry|model|toolCall|usage)"
    r"|event_loop\.|gen_ai\.(?:sdk\.version|event\.start_time|agent\.call\.id|agno\.|framework\.)"
    r"|gen_ai\.(?:client\.operation\.duration|execute_tool\.duration)"
)
"""Beginnings of attributes that one library alone writes."""
_NAMES_KEPT = 4096


def warn_of_unknown_scopes(spans: Iterable[Span]) -> Sequence[str]:
    """Return a line for each scope of spans with a library's marks, if none of them is known.

    Spans written by hand beside those of instrumentations need no warning.
    """
    counts: dict[str, int] = {}
    for span in spans:
        if any(map(_is_mark, span.attributes)):
            if _is_known(span.scope_name):
                return []
            counts[span.scope_name] = counts.get(span.scope_name, 0) + 1
    return [
        f"unknown scope: {scope[:100]!r} ({n} spans); they were read by their attributes alone"
        for scope, n in sorted(counts.items())
    ]


@lru_cache(maxsize=_NAMES_KEPT)
def _is_known(scope: str) -> bool:
    return _KNOWN.match(scope) is not None


@lru_cache(maxsize=_NAMES_KEPT)
def _is_mark(key: str) -> bool:
    return _MARKS.match(key) is not None
