"""Reads spans of the Model Context Protocol: the request that a span reports, and its tool.

Up to four spans report one call of a tool: from the framework, its client, the SDK and the
server. Each of the last three is a *leg* of the call. Legs name the method in an attribute
(``mcp.method.name``) or only in their own name::

    MCP send tools/call get_rate             the SDK's client
    MCP request: tools/call get_rate         Logfire, on the client
    MCP server handle request: tools/call    Logfire, on the server; the tool is in ``request``
    tools/call get_rate                      the GenAI conventions, on either side
    get_rate.tool                            OpenLLMetry, on either side
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.values.attributes import first, json_field

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json

METHODS = ("mcp.method.name", "mcp.method")
"""Attributes that name the method of a request; any of them identifies a span of MCP."""
_RPC_METHOD, _RPC_SYSTEM, _PROTOCOLS = "rpc.method", "rpc.system", ("mcp", "jsonrpc")
_ANY_METHOD = (*METHODS, _RPC_METHOD)
_TOOL_NAMES = ("gen_ai.tool.name", "mcp.tool.name", "tool.name")
CALL = "tools/call"
CONTENT_REQUESTS = frozenset({"resources/read", "prompts/get", "sampling/createMessage"})
"""Requests for contents, whose errors can fail a run. All other requests except tool calls set up
or watch a session."""
SESSION = "mcp.session"
"""Rule name of spans that set up or watch a session; errors on or below them fail no run."""
REQUEST, RESPONSE = "request", "response"
"""Attributes of Logfire's spans with the request and the response as JSON."""

_NAME = re.compile(
    r"(?:MCP [a-z ]+:? )?"
    r"(?P<method>(?:tools|resources|prompts|notifications|server|logging|completion|roots|sampling"
    r"|elicitation|tasks)/\w+|initialize|ping)(?: (?P<target>.+))?",
    re.DOTALL,
)
_OPENLLMETRY = ("opentelemetry.instrumentation.mcp", "@traceloop/instrumentation-mcp")
_TOOL_SUFFIX, _REQUEST_SUFFIX = ".tool", ".mcp"
_SERVER = "Server"


class Leg(NamedTuple):
    """A report of a tool call from one side: the client or the server."""

    tool: str
    """The tool's name; empty if the span does not name it."""
    is_server: bool
    """Whether the server that ran the tool reported the span."""
    is_openllmetry: bool = False


def is_openllmetry(scope_name: str) -> bool:
    """Return whether the scope belongs to OpenLLMetry's instrumentation of MCP."""
    return scope_name.startswith(_OPENLLMETRY)


def method_of(span: Span) -> str:
    """Return the method of the request that the span reports: ``tools/call``; empty if none."""
    attributes = span.attributes
    if method := first(attributes, *METHODS):
        return method
    if attributes.get(_RPC_SYSTEM) in _PROTOCOLS and (method := attributes.get(_RPC_METHOD, "")):
        return method
    name = _NAME.fullmatch(span.name.removesuffix(_REQUEST_SUFFIX))
    return name["method"] if name is not None else ""


def sets_up_session(span: Span) -> bool:
    """Return whether the span reports a request that sets up or watches a session."""
    method = method_of(span)
    return bool(method) and method != CALL and method not in CONTENT_REQUESTS


def read_leg(span: Span) -> Leg | None:
    """Return the client's or server's report of a tool call; ``None`` for any other span."""
    if is_openllmetry(span.scope_name):
        is_tool = span.name.endswith(_TOOL_SUFFIX)
        return Leg(tool_of(span), span.kind == _SERVER, True) if is_tool else None
    if CALL not in span.name and span.attributes.keys().isdisjoint(_ANY_METHOD):
        return None  # nearly all tool spans end here, without parsing the name
    return Leg(tool_of(span), _is_server(span)) if method_of(span) == CALL else None


def _is_server(span: Span) -> bool:
    return span.kind == _SERVER or span.name.startswith("MCP server ")


def tool_of(span: Span) -> str:
    """Return the name of the tool that a ``tools/call`` span calls; empty if it names none."""
    if name := first(span.attributes, *_TOOL_NAMES):
        return name
    if span.name.endswith(_TOOL_SUFFIX):
        return span.name.removesuffix(_TOOL_SUFFIX)
    named = _NAME.fullmatch(span.name)
    target = named["target"] if named is not None else None
    return target or _text(_params(span).get("name"))


def arguments_in(span: Span) -> Json:
    """Return the tool call's arguments in the span's ``request`` attribute, or ``None``."""
    return _params(span).get("arguments")


def _params(span: Span) -> dict[str, Json]:
    params = json_field(span.attributes.get(REQUEST, ""), "params")
    return params if isinstance(params, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
