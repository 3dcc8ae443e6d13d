"""The Model Context Protocol under OpenLLMetry: scope ``opentelemetry.instrumentation.mcp…``.

In JavaScript the scope is ``@traceloop/instrumentation-mcp``.

``X.tool`` is one call of a server's tool, seen by the client. A FastMCP server that is instrumented
too reports the tool's run again: ``mcp.server``, with a child ``X.tool``, is a child of the
client's span, or its sibling if both run in one process. The application's or framework's own span
of the tool may enclose the client's span. All these spans report one run, and the outermost span
becomes the step. Sessions (``mcp.client.session``) and other requests (``initialize.mcp``) are not
steps; errors of requests that only set up a session do not make a run fail. If a tool calls other
tools that have the same name as itself, these calls are separate runs.

Verified on captures of a client and a server in one process, some with failures, some inside the
SDK's decorators (0.62.4, FastMCP 2).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.conventions.mcp import is_openllmetry, sets_up_session
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.view import MAX_OPEN, find_innermost
from spanloom.core.dialects.traceloop.attributes import ENTITY_NAME, SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first, json_field, json_text, text_or_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

_SERVER = "mcp.server"
_CALL = Classification(Kind.TOOL, "traceloop_mcp.call")
_PLUMBING = Classification(Kind.OTHER, "traceloop_mcp.plumbing")
_SESSION = _PLUMBING._replace(is_sound=True)


class TraceloopMCP(Traceloop):
    """OpenLLMetry's attributes as its MCP instrumentation writes them."""

    id = "traceloop_mcp"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, which is the module or package that creates the spans."""
        return is_openllmetry(signature.scope_name)

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify tools by name; a span inside a tool of the same name is its second report."""
        if _tool_name(span):
            around = _same_tool_around(span, view)
            if around is None:
                return _CALL
            return Classification(Kind.TOOL, "traceloop_mcp.reported_again", around.span_id)
        return _SESSION if sets_up_session(span) else _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``traceloop.entity.*``, without the JSON that wraps a request."""
        facts = super().describe(span, kind)
        if kind is Kind.TOOL:
            arguments = json_field(facts.input, "arguments")
            facts.input = facts.input if arguments is None else json_text(arguments)
            facts.output = _result(facts.output)
        return facts


def _tool_name(span: Span) -> str:
    """Return the tool's name in any of the conventions; empty if the span is no tool."""
    attributes = span.attributes
    is_tool = attributes.get(SPAN_KIND) == "tool" or attributes.get(OPERATION) == "execute_tool"
    name = first(attributes, "gen_ai.tool.name", "tool.name")
    if name or not is_tool:
        return name
    return attributes.get(ENTITY_NAME, "") or span.name.removesuffix(".tool")


def _same_tool_around(span: Span, view: TraceView) -> Span | None:
    """Return the nearest enclosing tool or client call if it has the same name, else ``None``."""
    for above in islice(view.tree.ancestors(span), MAX_OPEN):
        tool = _client_of(above, view) if above.name == _SERVER else above
        if tool is not None and _tool_name(tool):
            return tool if _tool_name(tool) == _tool_name(span) else None
    return None


def _client_of(server: Span, view: TraceView) -> Span | None:
    """Return the sibling call that encloses the server's span in time."""
    parent = view.tree.parent(server)
    callers = {} if parent is None else view.remember_children(_callers, parent)
    return callers.get(server.span_id)


def _callers(children: Sequence[Span]) -> Mapping[str, Span]:
    return find_innermost(children, lambda span: bool(_tool_name(span)))


def _result(text: str) -> str:
    """Return the tool's result inside the client's or server's JSON; other texts unchanged."""
    result: Json = json_field(text, "result")
    return text if result is None else text_or_json(result)
