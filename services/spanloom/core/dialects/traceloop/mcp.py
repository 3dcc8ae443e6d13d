"""The Model Context Protocol under OpenLLMetry: scope ``opentelemetry.instrumentation.mcp…``.

``X.tool`` is one call of a server's tool, seen by the client. A FastMCP server that is watched too
reports the run again: ``mcp.server`` with an ``X.tool`` below, a child of the client's span, or
beside it where both live in one process. And the application's or framework's own span of the
tool may stand around the client's. All are one run: the outermost keeps its identity. Sessions
(``mcp.client.session``) and other requests (``initialize.mcp``) are plumbing.

Verified on captures of a client and a server in one process, also failing, and below the SDK's
decorators (0.62.4, FastMCP 2).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.conventions.tree import MAX_OPEN, find_innermost
from spanloom.core.dialects.otel_genai.dialect import OPERATION
from spanloom.core.dialects.traceloop.attributes import ENTITY_NAME, SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.normalized import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_field, json_text, text_or_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_SCOPE = "opentelemetry.instrumentation.mcp"
_SERVER = "mcp.server"
_CALL = Classification(Kind.TOOL, "traceloop_mcp.call")


class TraceloopMCP(Traceloop):
    """OpenLLMetry's attributes as its MCP instrumentation writes them."""

    id = "traceloop_mcp"

    def recognises(self, signature: Signature) -> bool:
        """By the scope, which is the module that makes the spans."""
        return signature.scope_name.startswith(_SCOPE)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Tools by span kind, unless a tool of that name runs around them."""
        if _tool_name(span):
            around = _same_tool_around(span, view)
            if around is None:
                return _CALL
            return Classification(Kind.TOOL, "traceloop_mcp.reported_again", around.span_id)
        return Classification(Kind.OTHER, "traceloop_mcp.plumbing")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """From ``traceloop.entity.*``, without the wrapping of a request."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            asked = json_field(facts.input, "arguments")
            facts.input = facts.input if asked is None else json_text(asked)
            facts.output = _result(facts.output)
        return facts


def _tool_name(span: Span) -> str:
    """Return the tool's name, by whatever convention the span says it."""
    attributes = span.attributes
    is_tool = attributes.get(SPAN_KIND) == "tool" or attributes.get(OPERATION) == "execute_tool"
    named = first(attributes, "gen_ai.tool.name", "tool.name")
    if named or not is_tool:
        return named
    return attributes.get(ENTITY_NAME, "") or span.name.removesuffix(".tool")


def _same_tool_around(span: Span, view: TraceView) -> Span | None:
    """Return the run that this span reports again: the nearest tool above, or a server's client."""
    for above in islice(view.tree.ancestors(span), MAX_OPEN):
        found = _client_of(above, view) if above.name == _SERVER else above
        if found is not None and _tool_name(found):
            return found if _tool_name(found) == _tool_name(span) else None
    return None


def _client_of(server: Span, view: TraceView) -> Span | None:
    """Return the call beside the server's span in whose time it ran."""
    parent = view.tree.parent(server)
    callers = {} if parent is None else view.remember_children(_callers, parent)
    return callers.get(server.span_id)


def _callers(children: Sequence[Span]) -> Mapping[str, Span]:
    return find_innermost(children, lambda span: bool(_tool_name(span)))


def _result(text: str) -> str:
    """Return what the client or the server says the tool gave."""
    result: Json = json_field(text, "result")
    return text if result is None else text_or_json(result)
