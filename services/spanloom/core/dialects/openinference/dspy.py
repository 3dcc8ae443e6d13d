"""DSPy under OpenInference: scope ``openinference.instrumentation.dspy``.

Every module is ``Class.forward``, kind ``CHAIN``; no attribute identifies agents. An agent is a
module of one of the library's tool-using classes, or a module that ran the tool ``finish``, which
these classes add to the author's tools (a subclass may have any name). Predictors and adapters are
not steps.

Tools have no ``tool.name``, only the span's name. **Model spans have no tokens**; if litellm
is instrumented too, its span below has them.

Verified on captures of ReAct agents, some with failures, some inside an author's module, and of a
chain of thought without an agent (0.1.48). The position of litellm's spans is known only from
documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import (
    json_field,
    json_object,
    json_text,
    plain_arguments,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.dspy"
_AGENT = Classification(Kind.AGENT, "openinference_dspy.tool_using_module")
_AGENT_CLASSES = frozenset({"ReAct", "CodeAct", "Avatar"})
_FORWARD = frozenset({"forward", "aforward"})
_FINISH = "finish"


class OpenInferenceDSPy(OpenInference):
    """OpenInference as its DSPy instrumentation writes it."""

    id = "openinference_dspy"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify modules by class or by the tool that ends their loop, other spans by kind."""
        cls, _, method = span.name.rpartition(".")
        is_module = method in _FORWARD and span_kind(span) in ("CHAIN", "")
        if is_module and (cls in _AGENT_CLASSES or view.remember_children(_finishes, span)):
            return _AGENT
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes; class and tool names come from the span's name."""
        facts = super().describe(span, kind)
        name = span.name.rpartition(".")[0] or span.name
        if kind is Kind.TOOL and not facts.data_kind:
            facts.tool_name = name
            facts.input, facts.output = plain_arguments(facts.input), unquoted(facts.output)
        elif kind is Kind.AGENT:
            facts.agent_name = name
            facts.input, facts.output = _arguments(facts.input), _answer(facts.output)
        return facts


def _arguments(text: str) -> str:
    """Return the module's ``input_args``, else the text unchanged."""
    arguments = json_field(text, "input_args")
    return json_text(arguments) if isinstance(arguments, dict) else text


def _answer(text: str) -> str:
    """Return the output fields of the module's signature, without the field ``trajectory``."""
    fields = json_object(text)
    if fields.pop("trajectory", None) is None or not fields:
        return text
    return json_text(fields)


def _finishes(children: Sequence[Span]) -> bool:
    return any(
        span_kind(child) == "TOOL" and child.name.rpartition(".")[0] == _FINISH
        for child in children
    )
