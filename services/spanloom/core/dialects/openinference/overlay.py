"""OpenInference's attributes on a framework's own spans, to which a span processor added them.

Some frameworks emit their own spans. For these, OpenInference has a span processor instead of an
instrumentation; the processor adds OpenInference's attributes to each span before export. Scope,
name and the framework's own attributes stay unchanged, and are more precise than the kind that is
derived from them: ``ai.generateText`` gets ``AGENT`` with or without tools, an ``invoke_graph`` is
``CHAIN``, and reasoning and cached tokens are omitted. So the framework's dialect reads the span,
and only missing facts come from OpenInference's attributes. For example, Strands' processor removes
the events, which contain the messages.

Exporters of other libraries set both a span kind and a GenAI operation. If the two disagree, the
operation is right: Mastra's exporter sets kind ``LLM`` on workflows and ``AGENT`` on model calls.

Vercel's processor sets the first error of a trace on every span that ends after this error. The AI
SDK records a span's own exceptions as events. So an error on a span that has an answer, but no such
event, belongs to another span.

Verified on captures of the Vercel AI SDK 6, and on runs of PydanticAI and Strands. The Agent
Framework's spans are known only from its processor's source.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION, OPERATIONS
from spanloom.core.dialects.base import Dialect
from spanloom.core.dialects.openinference.dialect import SCOPES, SPAN_KIND, OpenInference
from spanloom.core.dialects.otel_genai import OtelGenAI

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Classification, Facts, Span
    from spanloom.core.model.trajectory import Kind

_OPENINFERENCE = OpenInference()
_GENAI = OtelGenAI()


class OpenInferenceOverlay(Dialect):
    """Reads spans with the framework's dialect; takes missing facts from OpenInference's keys."""

    id = "openinference_overlay"
    before = ("openinference", "strands")

    def __init__(self) -> None:
        """Start without the dialects of frameworks; ``prepare`` sets them."""
        self._frameworks: Mapping[str, Dialect] = {}

    def prepare(self, others: Sequence[Dialect]) -> None:
        """Collect the dialects of frameworks that emit their own spans, keyed by scope."""
        self._frameworks = {dialect.own_scope: dialect for dialect in others if dialect.own_scope}

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by the span kind, on a framework's own span or with a GenAI operation."""
        attributes, scope = signature.attributes, signature.scope_name
        if SPAN_KIND not in attributes:
            return False
        has_operation = OPERATION in attributes and not scope.startswith(SCOPES)
        return has_operation or scope in self._frameworks

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify with the framework's own dialect; ignore errors that belong to other spans."""
        classification = self._reader(span).classify(span, view)
        return classification._replace(is_sound=_succeeded(span))

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the span with the framework's dialect; OpenInference's attributes fill the gaps."""
        own = self._reader(span).describe(span, kind)
        return _completed(own, _OPENINFERENCE.describe(span, kind))

    def _reader(self, span: Span) -> Dialect:
        """Return the dialect for the scope, or else for a GenAI operation or the span kind."""
        is_known = span.attributes.get(OPERATION) in OPERATIONS
        return self._frameworks.get(span.scope_name) or (_GENAI if is_known else _OPENINFERENCE)


def _succeeded(span: Span) -> bool:
    """Return whether a span of the Vercel AI SDK succeeded, whatever its status."""
    attributes = span.attributes
    ended_well = attributes.get("ai.response.finishReason", "error") != "error"
    raised = any(event.name == "exception" for event in span.events)
    return (ended_well or "ai.toolCall.result" in attributes) and not raised


def _completed(own: Facts, added: Facts) -> Facts:
    """Return ``own`` with its empty fields, and each missing count, filled from ``added``."""
    missing = [f.name for f in fields(own) if not getattr(own, f.name)]
    completed = replace(own, **{name: getattr(added, name) for name in missing})
    if own.usage and added.usage:
        completed.usage = own.usage.completed_by(added.usage)
    completed.metadata = {**added.metadata, **own.metadata}
    return completed
