"""Writes runs as Snorkel traces: nested steps, with assessments in their metadata.

The schema has no members for annotations, and allows only plain values in ``metadata``, so an
annotation becomes several keys in ``metadata``: ``potato/ada/correctness``,
``potato/ada/severity``. Assessments of ranges in texts, and of steps that are no longer in the run,
are JSON in ``metadata_expand``.

In a trace that is to be read again, ``metadata_expand`` also has values for which ``metadata`` has
no keys: trace id, start and type of the root, and a model call's token counts by kind.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from spanloom.core.document import AGENT, Document, DocumentStep
from spanloom.core.exchange.kept import WHOLE, Kept, KeptOfStep, count_lost
from spanloom.core.exchange.snorkel.source import DEEPEST, SOURCE, restored
from spanloom.core.extraction.metrics import COST
from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.document import DocumentAgent
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored
    from spanloom.core.model.annotation import Assessment

TRACE_ID, STARTED_AT, ROOT_TYPE = "trace_id", "started_at", "root_type"
"""Keys in the root's ``metadata_expand`` in a trace that is to be read again."""
USAGE = "usage"
"""Key in a model call's ``metadata_expand``, in such a trace, for its token counts as JSON."""
FINER = "tool_kind"
_OF_A_STEP = KeptOfStep(WHOLE - {"started_at", "parent_id"})
_KEPT = Kept(steps={str(kind): _OF_A_STEP for kind in StepType}, root=KeptOfStep())
"""The format preserves the root completely, and steps without start times and parents."""
_ASSESSMENTS = "assessments"
_ROOT = "root"


def write_trace(stored: Stored, losses: Losses, *, fine_types: bool = False) -> bytes:
    """Return a JSON array with the trace of a run.

    ``fine_types`` adds the kind of a tool to its type: ``TOOL_RETRIEVER``.
    """
    count_lost(stored.view, _KEPT, losses)
    return dump([trace_of(stored.view, fine_types=fine_types)])


def trace_of(view: Document, *, fine_types: bool = False) -> Json:
    """Return a run as a trace that can be read back; an imported trace is reproduced."""
    steps = _steps(view)
    if SOURCE in view.root.metadata and (kept := restored(steps, view.root.id)):
        return kept[view.root.id]
    nodes = _nodes(view, steps, {id_: at for at, id_ in enumerate(s.id for s in view.steps)})
    _add_facts(view, nodes)
    if fine_types:
        for node in nodes.values():
            if node["step_type"] == "TOOL" and (kind := node["metadata_expand"].get(FINER)):
                node["step_type"] = f"TOOL_{kind.upper()}"
    return nodes[view.root.id]


def _add_facts(view: Document, nodes: Mapping[str, Json]) -> None:
    """Add the values that a reader needs to restore the run to ``metadata_expand``."""
    root = view.root
    facts = {TRACE_ID: view.id, STARTED_AT: str(root.started_at), ROOT_TYPE: root.type}
    nodes[root.id]["metadata_expand"] |= facts
    for agent in view.agents:
        if agent.id == root.id and COST in agent.metadata:
            nodes[root.id]["metadata_expand"][COST] = agent.metadata[COST]
    for step in view.steps:
        if step.model_info:
            nodes[step.id]["metadata_expand"][USAGE] = dump(step.model_info).decode()


def snorkel_trace(document: Json, assessments: Iterable[Assessment]) -> Json:
    """Return a run as the root of a trace, with each agent's steps below it.

    ``tokens`` of a model call is the sum of input and output tokens; ``tokens`` of an agent or the
    root is the sum over its model calls. ``latency`` is in seconds. A node whose children
    overlapped in time has the execution type ``parallel``.
    """
    view = Document(document)
    steps = _steps(view)
    kept = restored(steps, view.root.id) if SOURCE in view.root.metadata else None
    nodes = kept or _nodes(view, steps)
    top = nodes[view.root.id]
    _say(nodes, top, assessments)
    return top


def _steps(document: Document) -> dict[str, DocumentStep]:
    """Return every step, keyed by id: agents from ``agent_steps``, the root from ``root_step``."""
    root = DocumentStep(document.root.json, _ROOT)
    steps: dict[str, DocumentStep] = {agent.id: agent for agent in document.agents}
    steps[root.id] = root
    for step in document.steps:
        steps.setdefault(step.id, step)
    return steps


def _nodes(
    document: Document,
    steps: Mapping[str, DocumentStep],
    positions: Mapping[str, int] | None = None,
) -> Mapping[str, Json]:
    """Return a node for every step, keyed by id; each is also among its agent's substeps.

    Steps with equal starts are ordered by ``positions``, or, if that is ``None``, by end and id.
    """
    root = document.root
    agents = {agent.id: agent for agent in document.agents}
    owned = [step for agent in agents.values() for step in agent.steps]
    owners = _owners(agents, owned)
    names = {id_: agents[agent_id].name for id_, agent_id in owners.items()}
    nodes = {id_: _node(step, names.get(id_, "")) for id_, step in steps.items()}
    below: defaultdict[str, list[str]] = defaultdict(list)
    for id_ in steps.keys() - {root.id}:
        below[_above(id_, owners, root.id)].append(id_)
    for id_, found in below.items():
        placed = sorted((_rank(steps[one], positions), steps[one].times, one) for one in found)
        nodes[id_]["substeps"] = [nodes[one] for *_, one in placed]
        if any(map(_overlap, pairwise(times for _, times, _ in placed))):
            nodes[id_]["substep_execution_type"] = "parallel"
    return nodes


def _rank(step: DocumentStep, positions: Mapping[str, int] | None) -> tuple[int, int]:
    return step.started_at, positions.get(step.id, -1) if positions else 0


def _owners(
    agents: Mapping[str, DocumentAgent], owned: Iterable[DocumentStep]
) -> Mapping[str, str]:
    """Return owner ids, keyed by step id; an agent without one gets its parent, or its owner."""
    owners: dict[str, str] = {}
    for step in owned:
        owners.setdefault(step.id, step.agent_id)
    for agent_id, agent in agents.items():
        above = agent.parent_id
        if agent_id not in owners and (above in agents or above in owners):
            owners[agent_id] = above if above in agents else owners[above]
    return owners


def _above(step_id: str, owners: Mapping[str, str], root: str) -> str:
    """Return the id of the parent node: the step's agent, or the root if too deep or in a cycle."""
    above = at = owners.get(step_id, root)
    for _ in range(DEEPEST):
        if at == root:
            return above
        at = owners.get(at, root)
    return root


def _node(step: DocumentStep, agent: str) -> Json:
    """Return the node for a step, without substeps."""
    error = step.error or {}
    failed = {"error_code": error.get("code"), "error_msg": error.get("msg")}
    metadata = {
        "step_id": step.id,
        "name": step.name,
        "agent": agent if step.type not in (AGENT, _ROOT) else step.name,
        "tokens": _tokens(step),
        "latency": step.duration / 1_000,
        **{name: value for name, value in failed.items() if value is not None},
    }
    texts = {
        name: value if isinstance(value, str) else dump(value).decode()
        for name, value in step.metadata.items()
        if name != SOURCE
    }
    return {
        "step_type": "ROOT_STEP" if step.type == _ROOT else step.type.upper(),
        "metadata": metadata,
        "value": step.output,
        "substeps": [],
        "substep_execution_type": "serial",
        "metadata_expand": {"input": step.input, **texts},
    }


def _say(nodes: Mapping[str, Json], top: Json, assessments: Iterable[Assessment]) -> None:
    """Add assessments to the nodes of their steps, or to the root if their step is missing."""
    by_step: dict[str, list[Json]] = {}
    for assessment in assessments:
        node = nodes.get(assessment.step_id) if assessment.step_id else top
        if node is not None and assessment.place is None:
            author = f"{assessment.scheme}/{assessment.annotator}"
            node["metadata"] |= {
                f"{author}/{name}": fact for name, fact in assessment.facts.items()
            }
        else:
            at = assessment.step_id if node is not None and assessment.step_id else ""
            by_step.setdefault(at, []).append(_written(assessment))
    for step_id, written in by_step.items():
        node = nodes[step_id] if step_id else top
        expanded = node.get("metadata_expand") or {}
        node["metadata_expand"] = {**expanded, _ASSESSMENTS: dump(written).decode()}


def _written(assessment: Assessment) -> Json:
    place = assessment.place._asdict() if assessment.place else {}
    about = {
        "step_id": assessment.step_id,
        "scheme": assessment.scheme,
        "annotator": assessment.annotator,
    }
    return {**about, **place, **assessment.facts}


def _tokens(step: DocumentStep) -> int:
    """Return the sum of a step's input and output tokens."""
    usage = step.tokens
    return sum(int(usage.get(name) or 0) for name in ("input_tokens", "output_tokens"))


def _overlap(times: tuple[tuple[int, int], tuple[int, int]]) -> bool:
    """Return whether a step and the next step overlapped by at least a millisecond."""
    (_, ended), (began, _) = times
    return ended > began
