"""smolagents under OpenInference: scope ``openinference.instrumentation.smolagents``.

``X.run`` has kind ``AGENT``, also for a managed agent, which is called like a tool but has no tool
span; its token counts are the sums over the run. ``Step N`` is one turn of the loop, and has status
ERROR even if the agent handles a tool's error. Tools are spans named after their class
(``SimpleTool``) with ``tool.name``; the framework's own ``final_answer`` ends every run and is a
tool run as well.

**A run that raised has no span**: the parent of its steps never arrives. The steps are attached to
the root, which then owns the run's model calls (if a managed agent raised, the root is its
manager). The next run of the thread joins the same trace, below the missing span. A streamed run's
output consists of the reprs of all values that it yielded, with the answer last.

Verified on captures of tool-calling and code agents, some of them managed, some with failures
(0.1.43).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.dialects.openinference.dialect import OpenInference, span_kind
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_field, plain_arguments
from spanloom.core.values.python_repr import last_text

if TYPE_CHECKING:
    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPE = "openinference.instrumentation.smolagents"
_RUN = Classification(Kind.AGENT, "openinference_smolagents.run")
_OF_A_RUN = ("smolagents.max_steps", "smolagents.tools_names", "smolagents.task")
_OWN_ARGUMENTS = frozenset({"sanitize_inputs_outputs"})


class OpenInferenceSmolagents(OpenInference):
    """OpenInference as its smolagents instrumentation writes it."""

    id = "openinference_smolagents"
    marks = ("smolagents.",)

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name == _SCOPE

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by kind, and by the settings that only runs have."""
        if span_kind(span) == "AGENT" or any(key in span.attributes for key in _OF_A_RUN):
            return _RUN
        return super().classify(span, view)

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read OpenInference's attributes, the task, and a tool's unwrapped arguments."""
        facts = super().describe(span, kind)
        if kind is Kind.AGENT:
            facts.agent_name = span.name.removesuffix(".run")
            facts.input = _task(span, facts.input)
            facts.output = last_text(facts.output, "FinalAnswerStep(output=") or facts.output
        elif kind is Kind.TOOL:
            facts.input = plain_arguments(facts.input, _OWN_ARGUMENTS)
        elif kind is Kind.OTHER:  # a root that is a turn of the loop has the agent's memory
            facts.input = facts.output = ""
        return facts


def _task(span: Span, text: str) -> str:
    """Return the task; its attribute is set even if arguments are hidden."""
    if task := span.attributes.get("smolagents.task", ""):
        return task
    task_argument = json_field(text, "task")
    return task_argument if isinstance(task_argument, str) else text
