"""Name a run whose root has not arrived.

SDKs send a span when it ends, so a run in progress has only spans below its root, and the first
of them takes the root's place. ``chat gpt-4o`` or ``tools`` is no name for a run: it is named after
its first agent, which many instrumentations report on every call, else after the service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import StepType, names_of_agents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.extraction.steps import ArrangedSteps
    from spanloom.core.model.trajectory import Step
    from spanloom.core.model.tree import SpanTree

_NO_SERVICE = "unknown_service"
"""The service name that SDKs send if none is configured: ``unknown_service:python``."""


def name_root(tree: SpanTree, arranged: ArrangedSteps) -> ArrangedSteps:
    """Return the steps with the root named after the run, if another span is in its place.

    A single call whose parent is in a remote service keeps its name.
    """
    root = arranged.root
    if not tree.has_other_tops or root.type is StepType.AGENT:
        return arranged
    service = "" if root.type is StepType.GRAPH else tree.root.service_name
    name = _name_of_run(arranged.steps.values(), service)
    return arranged._replace(root=root._replace(name=name)) if name else arranged


def _name_of_run(steps: Iterable[Step], service: str) -> str:
    named = [s for s in steps if s.type is StepType.AGENT or s.metadata.get("agent_name")]
    if agents := names_of_agents(named):
        return agents[0]
    return "" if service.startswith(_NO_SERVICE) else service
