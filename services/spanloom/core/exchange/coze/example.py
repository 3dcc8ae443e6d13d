"""Writes a trajectory in the form shown in Coze Loop's documentation.

``agent_steps`` are inside ``root_step``. Every member of the published example is written, even if
empty; types, owners and order are as in the canonical document. A root that only starts agents has
no entry in ``agent_steps``, as in the example. If a reader would infer a wrong type for the root,
its type is in the root's ``metadata``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.document import AGENT, AGENTS, ROOT
from spanloom.core.exchange.coze.steps import ROOT_TYPE
from spanloom.core.exchange.kept import Kept, count_lost
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.document import Document, DocumentAgent
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

KEPT = Kept()
"""The documented form preserves all members of steps, and none that only ``extraction`` has."""
_INFO, _LATENCY = "model_info", "latency_first_resp"
_CALLS = frozenset({"model", "tool"})


def write_example(stored: Stored, losses: Losses) -> bytes:
    """Return the trajectory with ``agent_steps`` inside ``root_step``."""
    count_lost(stored.view, KEPT, losses)
    root, agents = parts(stored.view)
    return dump({"id": stored.view.id, ROOT: {**root, AGENTS: agents}})


def parts(view: Document) -> tuple[Json, list[Json]]:
    """Return the root and the agents in the form shown in Coze Loop's documentation."""
    agents = [agent for agent in view.agents if agent.id != view.root.id or not _is_frame(view)]
    root = dict(view.root.json)
    if hides_root_type(view):
        root["metadata"] = {**view.root.metadata, ROOT_TYPE: view.root_type}
    return root, [{**agent.json, "steps": list(_steps(agent))} for agent in agents]


def _is_frame(view: Document) -> bool:
    """Return whether the root is not an agent, call or node, and all its own steps are agents."""
    return view.root_type == "other" and _owns_only_agents(view)


def _owns_only_agents(view: Document) -> bool:
    return all(kind == AGENT for kind in _types_of_own(view))


def _types_of_own(view: Document) -> Iterator[str]:
    own = next((agent for agent in view.agents if agent.id == view.root.id), None)
    return (step.type for step in own.steps) if own else iter(())


def hides_root_type(view: Document, types: Iterable[str] | None = None) -> bool:
    """Return whether a reader would infer a wrong type for the root from the root's own steps.

    ``types``: the types of these steps as written, if they differ from the document.
    """
    own = _types_of_own(view) if types is None else types
    inferred = "other" if all(kind == AGENT for kind in own) else AGENT
    return view.root_type not in ("", inferred, *_CALLS)


def _steps(agent: DocumentAgent) -> Iterator[Json]:
    for step in agent.steps:
        info = step.model_info
        if info and _LATENCY not in info:
            yield {**step.json, _INFO: {**info, _LATENCY: ""}}
        else:
            yield step.json
