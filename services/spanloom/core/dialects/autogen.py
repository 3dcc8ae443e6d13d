"""AutoGen: ``gen_ai.system`` is ``autogen``; the runtime's scopes begin with ``autogen``.

Spans of agents and tools have a GenAI operation name, but no arguments or results. Model calls and
teams are not reported: a team appears only as a series of message-passing traces, without steps.
``create_agent`` only constructs an agent.

Verified on captures of version 0.7.
"""

from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.otel_genai import OtelGenAI, operation_of
from spanloom.core.model.span import Classification, Span
from spanloom.core.model.trajectory import Kind

_SCOPES = ("autogen-core", "autogen ")
_STEPS = {
    "invoke_agent": Classification(Kind.AGENT, "autogen.invoke_agent"),
    "execute_tool": Classification(Kind.TOOL, "autogen.execute_tool"),
}
_PLUMBING = Classification(Kind.OTHER, "autogen.plumbing", is_unknown=True)


class AutoGen(OtelGenAI):
    """The GenAI conventions as AutoGen writes them."""

    id = "autogen"
    keys_with_values = ("gen_ai.system",)
    scopes = ("autogen",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by the reported system."""
        is_its_own = signature.scope_name.startswith(_SCOPES)
        return is_its_own or signature.attributes.get("gen_ai.system") == "autogen"

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """Classify spans by operation."""
        return _STEPS.get(operation_of(span), _PLUMBING)


DIALECTS = (AutoGen(),)
