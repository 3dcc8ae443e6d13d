"""traceloop-sdk's decorators: span kinds workflow, agent, task and tool.

The scope is ``traceloop.tracer`` in Python, ``@traceloop/node-server-sdk`` in JavaScript.

``@agent`` and ``@tool`` are agents and tools. A ``@workflow`` is a graph if it composes the runs of
decorated agents and tools. If the author splits the work into ``@task``s, or if the workflow wraps
a framework's own run, the workflow is only a function of the application, not a step.
``gen_ai.agent.name`` is set on every span below an agent and is the name of the span's owner; the
span itself need not be an agent. Model calls are reported by the model client's instrumentation.

Verified on captures of plain OpenAI clients and of a LangChain agent in a workflow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.conventions.operations import OPERATION
from spanloom.core.dialects.traceloop.attributes import SPAN_KIND
from spanloom.core.dialects.traceloop.dialect import Traceloop
from spanloom.core.model.span import Classification, Facts
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import plain_arguments, unquoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.view import Signature, TraceView
    from spanloom.core.model.span import Span

_SCOPES = frozenset({"traceloop.tracer", "@traceloop/node-server-sdk"})
_RUNS = frozenset({"invoke_agent", "invoke_workflow", "workflow"})


class TraceloopSDK(Traceloop):
    """OpenLLMetry's attributes as the SDK's decorators write them."""

    id = "traceloop_sdk"

    def recognises(self, signature: Signature) -> bool:
        """Recognise spans by scope name."""
        return signature.scope_name in _SCOPES

    def classify(self, span: Span, view: TraceView) -> Classification:
        """Classify spans by decorator; a workflow by its children."""
        kind = _kind(span)
        if kind in ("agent", "tool"):
            return Classification(Kind(kind), f"traceloop_sdk.{kind}")
        if kind == "workflow":
            composes = _composes(span, view)
            return Classification(
                Kind.GRAPH if composes else Kind.OTHER,
                "traceloop_sdk.workflow" if composes else "traceloop_sdk.workflow_around_a_run",
            )
        return Classification(Kind.OTHER, "traceloop_sdk.plumbing")

    def describe(self, span: Span, kind: Kind) -> Facts:
        """Read ``traceloop.entity.*``, without the JSON that wraps a function call."""
        facts = super().describe(span, kind)
        facts.input, facts.output = plain_arguments(facts.input), unquoted(facts.output)
        return facts


def _kind(span: Span) -> str:
    """Return the decorator's name from the span kind, else from the end of the span's name."""
    return span.attributes.get(SPAN_KIND) or span.name.rpartition(".")[2]


def _composes(workflow: Span, view: TraceView) -> bool:
    """Return whether no child is another framework's run, and no child or grandchild a task."""
    if view.remember_children(_has_foreign_run, workflow):
        return False
    return not any(
        view.remember_children(_has_task, span)
        for span in (workflow, *view.tree.children(workflow))
    )


def _has_foreign_run(children: Sequence[Span]) -> bool:
    foreign = [child.attributes for child in children if child.scope_name not in _SCOPES]
    return any(
        attributes.get(key) in _RUNS for attributes in foreign for key in (OPERATION, SPAN_KIND)
    )


def _has_task(children: Sequence[Span]) -> bool:
    return any(child.scope_name in _SCOPES and _kind(child) == "task" for child in children)
