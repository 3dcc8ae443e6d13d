"""Spring AI: ``spring.ai.kind`` on its own spans, GenAI attributes on model calls.

A chat client is the tool loop of an application. It is an agent if it ran tools or was offered
tools, otherwise a wrapper of one model call. Advisors are interceptors around the model call, not
steps. Tools have their own attributes (``spring.ai.tool.*``). Token counts are strings; an unknown
value, such as the response model of a failed call, is the string ``none``. Prompts and answers are
only in the application's log.

A tool that raised has status OK and the error as its result, unless the application configures such
errors to be thrown. Reasoning tokens are not reported; cached tokens are reported only by version 2
without streaming. When streaming, HTTP spans are separate traces. A missing kind is derived from a
span's other attributes.

In version 1 the model class itself runs the tools (spans ``tool_call X``, without call id) and then
calls the model again. The model calls of a loop are siblings, and the usage of each is the sum so
far. When streaming, each model call is nested in the previous one, all report the total sum, and
the tools are separate traces.

Verified on captures of tools, advisors, memory, streams and a vector store (2.0.1, 1.1.0).
"""

from collections.abc import Mapping, Sequence

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.conventions.usage import EVIDENCE, read_counts
from spanloom.core.conventions.view import Signature, TraceView, loops_over_tools
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.step import Usage
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import first

KIND = "spring.ai.kind"
_SCOPE = "org.springframework.boot"
_NOT_KNOWN = "none"
_MODELS = ("gen_ai.response.model", "gen_ai.request.model")
_OFFERED = (
    "spring.ai.chat.client.tool.names",
    "spring.ai.chat.client.tool.function.names",
    "spring.ai.model.request.tool.names",
)
_UPDATES = frozenset({"add", "delete"})
_TOOL_METADATA = {
    "spring.ai.tool.call.id": "tool_call_id",
    "spring.ai.tool.definition.description": "tool_description",
}


_TOOL = Classification(Kind.TOOL, "spring_ai.tool_call")
_AGENT = Classification(Kind.AGENT, "spring_ai.chat_client")
_BARE_CALL = Classification(Kind.OTHER, "spring_ai.bare_call")
_PLUMBING = Classification(Kind.OTHER, "spring_ai.plumbing")
_FOREIGN = _PLUMBING._replace(is_unknown=True)
_OF_KIND = {
    "spring.ai.tool.definition.name": "tool_call",
    "spring.ai.advisor.name": "advisor",
    "spring.ai.chat.client.stream": "chat_client",
    "spring.ai.chat.client.advisors": "chat_client",
    "db.vector.query.content": "vector_store",
    "db.vector.dimension_count": "vector_store",
    "db.search.similarity_metric": "vector_store",
}
"""Keys that only spans of one kind have."""


def _kind(span: Span | Signature) -> str:
    """Return ``spring.ai.kind``, or the kind of which another key is typical.

    The result is empty for model calls and embeddings, which have neither attribute.
    """
    attributes = span.attributes
    return attributes.get(KIND) or next(
        (kind for key, kind in _OF_KIND.items() if key in attributes), ""
    )


def _is_tool(span: Span) -> bool:
    return _kind(span) == "tool_call"


def _is_call(span: Span) -> bool:
    return operation_of(span) == "chat" and not _kind(span)


def _offers_tools(span: Span) -> bool:
    return any(span.attributes.get(key, "[]") not in ("", "[]") for key in _OFFERED)


class SpringAI(OtelGenAI):
    """The observations of Spring AI as Micrometer exports them."""

    id = "spring_ai"
    own_keys = ("spring.ai.",)
    scopes = (r"org\.springframework",)
    marks = own_keys

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by Spring AI's kind, or by its scope with an operation or known key."""
        attributes = signature.attributes
        if KIND in attributes or signature.scope_name != _SCOPE:
            return KIND in attributes
        return OPERATION in attributes or bool(_kind(signature) or operation_of(signature))

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by Spring AI's kind or operation; clients by their tools and calls."""
        match _kind(span):
            case "tool_call":
                return _TOOL
            case "vector_store":
                return _classify_store(span)
            case "chat_client":
                is_agent = loops_over_tools(span, view, _is_tool, _is_call, _offers_tools)
                return _AGENT if is_agent else _BARE_CALL
            case "":
                classification = super().classify(span, view)
                return (
                    _with_place(classification, span, view)
                    if classification.kind is Kind.MODEL
                    else classification
                )
            case "advisor":
                return _PLUMBING
        return _FOREIGN

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` and ``spring.ai.*`` attributes."""
        attributes, facts = span.attributes, super().describe(span, kind)
        if kind is Kind.TOOL and (spring_kind := _kind(span)):
            facts.tool_name = first(
                attributes, "spring.ai.tool.definition.name", "db.collection.name"
            )
            facts.input = first(
                attributes, "spring.ai.tool.call.arguments", "db.vector.query.content"
            )
            facts.output = first(
                attributes, "spring.ai.tool.call.result", "db.vector.query.response.documents"
            )
            facts.data_kind = "retrieval" if spring_kind == "vector_store" else ""
            metadata = {n: attributes[k] for k, n in _TOOL_METADATA.items() if attributes.get(k)}
            facts.metadata = {**facts.metadata, **metadata}
        elif kind is Kind.MODEL and facts.model == _NOT_KNOWN:
            known = (attributes.get(key, "") for key in _MODELS)
            facts.model = next((name for name in known if name not in ("", _NOT_KNOWN)), "")
        facts.conversation_id = facts.conversation_id or first(
            attributes, "spring.ai.chat.client.conversation.id"
        )
        return facts


def _with_place(call: Classification, span: Span, view: TraceView) -> Classification:
    """Add the sum of tokens before a model call in version 1's loop, and the step around the loop.

    When streaming, each call is nested in the previous call, and all report the final sum; the sum
    is attributed to the first call.
    """
    if not span.parent_span_id:
        return call
    parent = view.tree.parent(span)
    if parent is None or not _is_call(parent):
        sums = view.remember_siblings(_sums_before, span)
        return call._replace(summed_from=sums.get(span.span_id))
    outer = next((s for s in view.tree.ancestors(parent) if not _is_call(s)), None)
    return call._replace(summed_from=_read_usage(parent), inside=outer.span_id if outer else None)


def _read_usage(call: Span) -> Usage:
    return read_counts(call.attributes, EVIDENCE)


def _sums_before(children: Sequence[Span]) -> Mapping[str, Usage]:
    """Return version 1's running sum of tokens before each model call, keyed by its span id.

    In version 1 a model runs the tools itself and calls again, and each call's usage is the sum so
    far. Such calls are siblings with the tools between them. The input of a loop only grows; if the
    growth since the previous call is less than that call's own input, the counts are not a sum.
    """
    before: dict[str, Usage] = {}
    sums, last, tools_ran = Usage(), Usage(), False
    for child in children:
        if _runs_inside_model(child):
            tools_ran = True
        elif _is_call(child):
            usage = _read_usage(child)
            own = usage.since(sums)
            if tools_ran and own.input_tokens >= last.input_tokens and _goes_on(sums, usage):
                before[child.span_id] = sums
            else:
                own = usage
            sums, last, tools_ran = usage, own, False
    return before


def _goes_on(sums: Usage, usage: Usage) -> bool:
    """Return whether the output tokens have grown since the last sum, or are never counted."""
    is_counted = usage.output_tokens or sums.output_tokens
    return usage.output_tokens > sums.output_tokens or not is_counted


def _runs_inside_model(span: Span) -> bool:
    """Return whether the span is a tool run of version 1, which sets no operation."""
    return _is_tool(span) and operation_of(span) != "execute_tool"


def _classify_store(span: Span) -> Classification:
    operation = span.attributes.get("db.operation.name") or span.name.rpartition(" ")[2]
    if operation not in _UPDATES:
        return Classification(Kind.TOOL, "spring_ai.vector_query")
    return Classification(Kind.OTHER, "spring_ai.vector_update")


DIALECTS = (SpringAI(),)
