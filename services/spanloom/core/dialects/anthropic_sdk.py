"""Anthropic's SDK for Python: scope ``com.anthropic.sdk.python``, GenAI names, no message texts.

From version 2 on, if a tracer provider is set, the SDK reports its model calls itself
(``anthropic.messages.create``), in addition to any instrumentation. So every model call has one
more span, often in its own trace. With a dialect of their own, these spans can be recognised as
second reports of model calls.

Verified on captures of the SDK under OpenLLMetry and Logfire, and with LangChain's OpenInference.
"""

from spanloom.core.conventions.view import Signature
from spanloom.core.dialects.otel_genai import OtelGenAI
from spanloom.core.messages.steps import FINISH_REASONS
from spanloom.core.model.span import Facts, Span
from spanloom.core.model.trajectory import Kind

_SCOPE = "com.anthropic.sdk.python"


class AnthropicSDK(OtelGenAI):
    """The GenAI conventions as Anthropic's SDK writes them."""

    id = "anthropic_sdk"
    scopes = (r"com\.anthropic",)
    marks = ("anthropic.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the ``gen_ai.*`` attributes; the finish reason is in Anthropic's own attribute."""
        facts = super().describe(span, kind)
        reason = span.attributes.get("anthropic.message.stop_reason", "")
        if kind is Kind.MODEL and reason:
            facts.metadata = {FINISH_REASONS: reason, **facts.metadata}
        return facts


DIALECTS = (AnthropicSDK(),)
