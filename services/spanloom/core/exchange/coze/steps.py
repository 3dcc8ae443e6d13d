"""Finds the steps of a Coze Loop trajectory, each once, with its id, parent and owner."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from spanloom.core.document import AGENTS, OF_THE_RUN, ROOT
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.coze import members
from spanloom.core.exchange.coze.order import positions
from spanloom.core.exchange.drafts import STEP_KINDS
from spanloom.core.exchange.ids import note_made, step_id_of, trace_id_of
from spanloom.core.exchange.unread import note_unread
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

ROOT_TYPE = "root_type"
"""Key in the root's ``metadata`` for its type, because a root has no member ``type``."""
_CALLS = frozenset({Kind.MODEL, Kind.TOOL})
_NO_PLACE = (-1, 0, 0)


@dataclass(slots=True)
class Node:
    """A step found in the source trajectory."""

    json: Json
    where: str
    """The path of the step in the source, for messages."""
    kind: Kind
    id: str
    parent_id: str = ""
    steps: list[str] = field(default_factory=list)
    """For an agent: the ids of its own steps, in the order of its list."""
    start_ms: int = 0
    entry: Json = field(default_factory=dict)
    """For the root: its entry in ``agent_steps``."""
    placed: Json = field(default_factory=dict)
    """The step's entry in its agent's list of steps."""
    owner_id: str = ""
    """The id of the agent that lists the step."""


class Source:
    """The steps of one trajectory, each once, with ids, parents and owners."""

    def __init__(self, document: Json, reading: Reading) -> None:
        """Find the steps; raises ``InvalidRequestError`` with the path of the fault."""
        self.source_id = members.source_id_in(document, "")
        if not self.source_id:
            raise InvalidRequestError("id: a trajectory needs its trace id")
        self.trace_id = trace_id_of(reading.format, reading.project, self.source_id)
        self._losses = reading.losses
        self._losses.trace_id = self.trace_id
        note_made(self.trace_id, self.source_id, "id", self._losses)
        note_unread(document, frozenset(OF_THE_RUN), self._losses)
        self._nodes: dict[str, Node] = {}
        self._by_source: dict[str, str] = {}
        agents = self._find_root(document)
        self._entries = self._find_agents(agents)
        for owner, json, where, path in self._entries:
            self._find_steps(owner, json, where, path)
        self._place_agents()
        self._set_starts()

    def _find_root(self, document: Json) -> list[tuple[Json, str, str]]:
        """Find the root; return the agents, each with a path for messages and a path for ids."""
        self.is_root_made = ROOT not in document or document[ROOT] is None
        root = members.object_in(document, ROOT, "").copy() if not self.is_root_made else {}
        nested = root.pop(AGENTS, None)
        above, where = (document, "") if AGENTS in document else ({AGENTS: nested}, ROOT)
        agents = members.objects_in(above, AGENTS, where)
        if self.is_root_made and not {ROOT, AGENTS} <= document.keys():
            raise InvalidRequestError(f"{ROOT}: an object is needed here")
        self._root = self._add(root, ROOT, ROOT, Kind.OTHER)
        prefix = f"{where}.{AGENTS}".lstrip(".")
        return [(one, f"{prefix}.{at}", f"{AGENTS}.{at}") for at, one in enumerate(agents)]

    def _add(self, json: Json, where: str, path: str, kind: Kind) -> Node:
        source = members.source_id_in(json, f"{where}.")
        id_ = step_id_of(self.trace_id, path, source, self._nodes)
        node = Node(json, where, kind, id_)
        self._nodes[id_] = node
        if source:
            self._by_source.setdefault(source, id_)
        if not (kind is Kind.OTHER and self.is_root_made):
            note_made(id_, source, where, self._losses)
        return node

    def _find_agents(
        self, agents: Sequence[tuple[Json, str, str]]
    ) -> Sequence[tuple[Node, Json, str, str]]:
        found: list[tuple[Node, Json, str, str]] = []
        root_id = self._root.json.get("id")
        for json, where, path in agents:
            if root_id is not None and json.get("id") == root_id and not self._root.entry:
                self._root.entry = json
                found.append((self._root, json, where, path))
            else:
                found.append((self._add(json, where, path, Kind.AGENT), json, where, path))
        return found

    def _find_steps(self, owner: Node, json: Json, where: str, path: str) -> None:
        for at, step in enumerate(members.objects_in(json, "steps", where)):
            place = f"{where}.steps.{at}"
            node = self._step(owner, step, place, f"{path}.steps.{at}")
            if node is None:
                continue
            node.placed, node.owner_id = step, owner.id
            owner.steps.append(node.id)
            node.parent_id = owner.id
        self._place_steps(owner)

    def _place_steps(self, owner: Node) -> None:
        """Set each step's parent: the step of the same agent that it names, otherwise the agent."""
        near = {one for one in owner.steps if self._nodes[one].kind is not Kind.AGENT}
        for node in (self._nodes[one] for one in owner.steps):
            named = self._by_source.get(str(node.placed.get("parent_id")), owner.id)
            node.parent_id = named if named in near and named != node.id else owner.id

    def _step(self, owner: Node, step: Json, where: str, path: str) -> Node | None:
        """Return the node for a step; ``None`` if the root lists itself among its own steps."""
        kind = _kind_of(step, where)
        known = self._nodes.get(self._by_source.get(members.source_id_in(step, f"{where}."), ""))
        if known is self._root and owner is self._root and kind in _CALLS:
            known.kind = kind
            known.json = {**step, **known.json, "model_info": step.get("model_info")}
            return None
        may_be_agent = kind is Kind.AGENT or not step.get("type")
        is_agent = known is not None and known.kind is Kind.AGENT and may_be_agent
        if known is not None and is_agent and known is not owner and not known.parent_id:
            return known
        return self._add(step, where, path, kind)

    def _place_agents(self) -> None:
        """Set the parent of agents that no agent lists: the step that each names, or the root."""
        root = self._root
        for node in self._nodes.values():
            if node is not root and not node.parent_id:
                named = self._by_source.get(str(node.json.get("parent_id")), root.id)
                node.parent_id = named if named != node.id else root.id
        _break_cycles(self._nodes, root.id)
        if root.kind is Kind.OTHER:
            root.kind = self._kind_of_root()

    def _kind_of_root(self) -> Kind:
        stated = members.object_in(self._root.json, "metadata", ROOT).get(ROOT_TYPE)
        if stated is not None:
            return STEP_KINDS.get(str(stated), Kind.OTHER)
        owns_calls = any(self._nodes[one].kind is not Kind.AGENT for one in self._root.steps)
        return Kind.AGENT if owns_calls else Kind.OTHER

    def _set_starts(self) -> None:
        stated = {
            i: members.time_in(info_of(node), "started_at", f"{node.where}.basic_info")
            for i, node in self._nodes.items()
        }
        known = [start for start in stated.values() if start is not None]
        root = self._root
        root.start_ms = next((s for s in (stated[root.id], *sorted(known)) if s is not None), 0)
        for owner in (root, *(node for node, *_ in self._entries if node is not root)):
            if owner is not root:
                start = stated[owner.id]
                owner.start_ms = root.start_ms if start is None else start
        for owner, *_ in self._entries:
            latest = owner.start_ms
            for one in owner.steps:
                start = stated[one]
                self._nodes[one].start_ms = latest = latest if start is None else start

    def in_order(self, *, newest_first: bool) -> Iterator[Node]:
        """Yield the root, then the steps by start; steps with equal starts in list order."""
        lists = [(owner.id, owner.steps) for owner, *_ in self._entries]
        if self._is_newest_first(otherwise=newest_first):
            lists.reverse()
        keys = positions(sorted(lists, key=lambda one: self._nodes[one[0]].start_ms))
        below = [node for node in self._nodes.values() if node is not self._root]
        below.sort(key=lambda node: (node.start_ms, keys.get(node.id, _NO_PLACE)))
        yield self._root
        yield from below

    def _is_newest_first(self, *, otherwise: bool) -> bool:
        """Return whether later agents come first, judging by their starts and list positions."""
        places = {
            one: (owner.id, at) for owner, *_ in self._entries for at, one in enumerate(owner.steps)
        }
        agents = [node for node, *_ in self._entries if node is not self._root]
        falls = {
            fall
            for before, node in pairwise(agents)
            if (fall := _falls(before, node, places)) is not None
        }
        return falls.pop() if len(falls) == 1 else otherwise

    @property
    def made_duration(self) -> int:
        """Duration from the first start to the last end, in ms, if a root was added; else 0."""
        if not self.is_root_made:
            return 0
        ends = [n.start_ms + duration_of(n) for n in self._nodes.values() if n is not self._root]
        return max(0, max(ends, default=0) - self._root.start_ms)

    def stated(self) -> Iterator[tuple[str, str, Json]]:
        """Yield the totals in the source: id of the step (empty for the run), path, totals."""
        root = self._root
        yield "", ROOT, members.object_in(root.json, "metrics_info", ROOT)
        for node, json, where, _ in self._entries:
            yield node.id, where, members.object_in(json, "metrics_info", where)


def _kind_of(step: Json, where: str) -> Kind:
    """Return the kind of a step; an unknown type counts as a graph node."""
    stated = members.text_of(step.get("type"), f"{where}.type").lower()
    if not stated and step.get("model_info"):
        return Kind.MODEL
    return STEP_KINDS.get(stated, Kind.GRAPH)


def _break_cycles(nodes: Mapping[str, Node], root_id: str) -> None:
    """Break each cycle of parents: move one of its agents to the root, or a step to its agent."""
    rooted = {root_id}
    for node in nodes.values():
        path: dict[str, None] = {}
        at = node.id
        while at not in rooted and at not in path:
            path[at] = None
            at = nodes[at].parent_id
        if at not in rooted:
            ring = list(path)[list(path).index(at) :]
            agents = [one for one in ring if nodes[one].kind is Kind.AGENT]
            broken = nodes[agents[0] if agents else at]
            broken.parent_id = root_id if agents else broken.owner_id
        rooted.update(path)


def _falls(before: Node, node: Node, places: Mapping[str, tuple[str, int]]) -> bool | None:
    """Return whether ``before`` follows ``node`` by start or in a list; ``None`` if unknown."""
    if before.start_ms != node.start_ms:
        return before.start_ms > node.start_ms
    nowhere = "", -1
    (owner, at), (other, then) = (places.get(one.id, nowhere) for one in (before, node))
    return at > then if owner == other and at != then else None


def info_of(node: Node) -> Json:
    """Return the ``basic_info`` of a step."""
    return members.object_in(node.json, "basic_info", node.where)


def duration_of(node: Node) -> int:
    """Return the duration of a step in milliseconds; 0 if unknown."""
    return members.time_in(info_of(node), "duration", f"{node.where}.basic_info") or 0
