"""AutoGen: ``gen_ai.system`` is ``autogen``; the runtime's spans have scopes that begin so.

Agents and tools have GenAI operations, without arguments and results. Calls are not reported, nor
teams: a team is a score of traces of message passing, none of it a step. ``create_agent`` is
construction.

Verified on captures of 0.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.otel_genai.dialect import OtelGenAI, operation_of
from spanloom.core.model.normalized import Classification
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPES = ("autogen-core", "autogen ")
_STEPS = {
    "invoke_agent": Classification(Kind.AGENT, "autogen.invoke_agent"),
    "execute_tool": Classification(Kind.TOOL, "autogen.execute_tool"),
}
_PLUMBING = Classification(Kind.OTHER, "autogen.plumbing")


class AutoGen(OtelGenAI):
    """The GenAI conventions as AutoGen writes them."""

    id = "autogen"
    keys_with_values = ("gen_ai.system",)

    def recognises(self, signature: Signature) -> bool:
        """By the scope, or the system it names itself."""
        is_its_own = signature.scope_name.startswith(_SCOPES)
        return is_its_own or signature.attributes.get("gen_ai.system") == "autogen"

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002  # the protocol's signature
        """By the operation."""
        return _STEPS.get(operation_of(span), _PLUMBING)
