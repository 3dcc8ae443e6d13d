"""The Model Context Protocol as its SDKs and other instrumentations report it.

Spans have the attribute ``mcp.method.name`` (the SDK for Python from version 2 on, FastMCP, the SDK
for C#, Sentry, and others that follow the GenAI conventions) or Logfire's scope ``logfire.mcp``.
``tools/call`` is a run of a tool. The client, the server and the calling framework report the same
run, and the outermost span becomes the step. If a tool makes two calls of tools that have the same
name as itself, these calls are separate runs. If a trace has only the server's spans of tool calls,
they are not steps, because the trace is not the run of an agent.

Other requests are not steps. Requests that set up or watch a session (``initialize``,
``server/discover``, ``tools/list``, ``ping``, notifications) never make a run fail, because a
client may send a request that an older server refuses, and continue without the result.

Verified on recorded runs of mcp 1.30 and 2.3, fastmcp 4.2 and Logfire 5.4. Sentry's and C#'s spans
are known only from documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions import mcp
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.dialects.base import Dialect
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_LOGFIRE = "logfire.mcp"
_ARGUMENT = "mcp.request.argument."
"""Prefix of the attributes in which Sentry reports each argument."""
_RESULTS = ("mcp.tool.result.content", "mcp.tool.result", mcp.RESPONSE)
_IS_ERROR = "mcp.tool.result.is_error"
_ARGUMENTS = ("mcp.tool.arguments",)

_CALL = Classification(Kind.TOOL, "mcp.tools_call")
_OTHER_REQUEST = Classification(Kind.OTHER, "mcp.other_request")
_SESSION = Classification(Kind.OTHER, "mcp.session", is_sound=True)


class MCP(OtelGenAI):
    """The GenAI conventions on spans of the protocol, and the instrumentations' own attributes."""

    id = "mcp"
    scopes = ("mcp", "fastmcp")

    def __init__(self) -> None:
        """Start without the scopes of frameworks; ``prepare`` sets them."""
        self._own_scopes: frozenset[str] = frozenset()

    def prepare(self, others: Sequence[Dialect]) -> None:
        """Collect the scopes of frameworks that report calls of the protocol themselves."""
        self._own_scopes = frozenset(d.own_scope for d in others if d.own_scope)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by method or Logfire's scope, but not in a framework's own scope."""
        if signature.scope_name in self._own_scopes:
            return False
        keys = signature.keys
        return any(key in keys for key in mcp.METHODS) or signature.scope_name == _LOGFIRE

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002
        """Classify spans by method."""
        if mcp.method_of(span) == mcp.CALL:
            return _CALL
        return _SESSION if mcp.sets_up_session(span) else _OTHER_REQUEST

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes, or if they are missing the request and the response."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            attributes = span.attributes
            facts.tool_name = mcp.tool_of(span)
            facts.input = facts.input or first(attributes, *_ARGUMENTS) or _arguments(span)
            facts.output = facts.output or _result(attributes)
        return facts


def _arguments(span: Span) -> str:
    arguments = mcp.arguments_in(span) or dict(_own_attributes(span.attributes))
    return json_text(arguments) if arguments else ""


def _result(attributes: Mapping[str, str]) -> str:
    result = first(attributes, *_RESULTS)
    is_error = attributes.get(_IS_ERROR) == "true"
    return json_text({"content": json_value(result), "isError": True}) if is_error else result


def _own_attributes(attributes: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    for key, value in attributes.items():
        if key.startswith(_ARGUMENT):
            yield key.removeprefix(_ARGUMENT), json_value(value)


DIALECTS = (MCP(),)
