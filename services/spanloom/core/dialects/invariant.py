"""Messages that Invariant's SDK pushes (scope ``invariant``), one span for each message.

An assistant's message is a model call. A tool's message becomes a tool step, with the arguments of
the tool call that it answers. Messages of users and systems are the input of the next model call.
Durations are unknown: a call starts and ends at the time of its message. The span of the run is an
agent; annotations become scores, not steps.

Verified with ``invariant-sdk`` 0.0.11.
"""

from spanloom.core.conventions import invariant as keys
from spanloom.core.conventions.evaluations import NAME, RESULT
from spanloom.core.conventions.invariant import is_message, read_question_and_answer, read_steps
from spanloom.core.conventions.listed_messages import HISTORY, OMITTED, ListedStep
from spanloom.core.conventions.view import Signature, TraceView
from spanloom.core.dialects.base import Dialect
from spanloom.core.model.span import Classification, Facts, Span
from spanloom.core.model.trajectory import Kind

_HEARD = Classification(Kind.OTHER, "invariant.message", is_sound=True)
_NOTED = Classification(Kind.OTHER, "invariant.annotation", is_sound=True)
_RUN = Classification(Kind.AGENT, "invariant.run")
_BY_KIND = {
    Kind.MODEL: Classification(Kind.MODEL, "invariant.answer"),
    Kind.TOOL: Classification(Kind.TOOL, "invariant.tool"),
}


class Invariant(Dialect):
    """Messages that Invariant's SDK pushes, as spans."""

    id = "invariant"
    scopes = ("invariant",)
    marks = ("invariant.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == keys.SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by the role of the message; its texts come from the messages around it."""
        if span.name == RESULT and NAME in span.attributes:
            return _NOTED
        if not is_message(span):
            question, answer = view.remember_tree(read_question_and_answer)
            return _RUN._replace(facts=Facts(question, answer))
        step = view.remember_tree(read_steps).get(span.span_id)
        if step is None:
            return _HEARD
        return _BY_KIND[step.kind]._replace(facts=_facts(step))

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read the name and the metadata of a run; ``classify`` returns the texts."""
        if kind is not Kind.AGENT:
            return Facts()
        source = span.attributes.get(keys.SOURCE, "")
        metadata = {keys.SOURCE: source} if source else {}
        return Facts(agent_name=span.name, metadata=metadata)


def _facts(step: ListedStep) -> Facts:
    facts = Facts(step.input, step.output, tool_name=step.name)
    if step.kind is Kind.MODEL:
        facts.metadata = {HISTORY: OMITTED}
    if step.kind is Kind.TOOL and step.call_id:
        name = "tool_call_id" if step.is_paired else keys.CALL_ID
        facts.metadata = {name: step.call_id}
    if step.is_parts:
        facts.metadata = {**facts.metadata, keys.PARTS: "true"}
    return facts


DIALECTS = (Invariant(),)
