"""Agent2Agent: scope ``a2a-python-sdk``, one span for each method of the SDK that is called.

None of these spans is a step, because they have no attributes, not even the agent's name or the
task. The remote agent sends its own spans below them. The SDK records every exception as an event,
including the exceptions that only mean that an event queue was closed or empty (``QueueShutDown``,
``QueueClosed``). So a span has failed only if its status is an error, and if it has either no
exceptions or one of another type.

Spans that follow the GenAI conventions (``a2a.method.name``) report requests too. They may contain
the remote agent's name, but are not steps, because the remote agent's own spans report its run.

Verified on recorded runs of a2a-sdk 1.3; the names of older versions come from the SDK's source.
"""

from spanloom.core.conventions.failures import exceptions
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind

_SCOPE = "a2a-"
_ENDS = frozenset({"QueueShutDown", "QueueClosed", "QueueEmpty"})
_METHOD = "a2a.method.name"
_REQUEST = Classification(Kind.OTHER, "a2a.request", is_unknown=True)
_PLUMBING = Classification(Kind.OTHER, "a2a.plumbing")
_SOUND = Classification(Kind.OTHER, "a2a.plumbing", is_sound=True)


class A2A(Dialect):
    """The spans of the SDKs of Agent2Agent."""

    id = "a2a"
    own_keys = ("a2a.",)
    scopes = ("a2a",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name, or by the method of the protocol."""
        is_sdk = signature.scope_name.startswith(_SCOPE) and signature.scope_name.endswith("-sdk")
        return is_sdk or _METHOD in signature.attributes

    def classify(self, span: Span, view: TraceView) -> Classification:  # noqa: ARG002
        """Classify every span as noise; ignore exceptions if the status is not an error."""
        if _METHOD in span.attributes:
            return _REQUEST
        if not span.events and span.status_code != "Error":
            return _PLUMBING
        ends = {raised.type.rpartition(".")[2] for raised in exceptions(span)}
        is_sound = span.status_code != "Error" or (bool(ends) and ends <= _ENDS)
        return _SOUND if is_sound else _PLUMBING

    def describe(self, span: Span, kind: Kind) -> Facts:  # noqa: ARG002
        """Read the conversation; the SDK's own spans have no attributes."""
        return Facts(conversation_id=span.attributes.get("gen_ai.conversation.id", ""))


DIALECTS = (A2A(),)
