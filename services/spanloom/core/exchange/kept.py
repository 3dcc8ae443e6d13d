"""Declares which members of a run a format preserves, and counts all other members as losses.

Each format declares what it preserves in a ``Kept``. When a run is written, everything else is
counted: losses of a step once per loss code, at the step's id; losses of the run once per member,
at ``extraction.MEMBER``. A member that is computed from members of the steps is lost
only if those are lost. Members that the importing store sets are not counted.

Losses within texts are not declared here; ``calls.py``, ``conversation.py`` and ``turns.py`` in
``formats`` count them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from spanloom.core.conventions.imported import TOKEN_COUNTS
from spanloom.core.document import AGENT
from spanloom.core.formats.imported import RECOMPUTED
from spanloom.core.formats.losses import Code
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import Document, DocumentFailure, DocumentStep
    from spanloom.core.formats.losses import Losses

OF_THE_SENDER = ("conversation_id", "user_id", "environment", "release", "tags", "metadata")
"""Members of ``extraction`` that the sender of a run sets."""
OF_THE_SOURCE = (*OF_THE_SENDER, "services", "linked_traces")
"""Members of ``extraction`` that are not computed from the steps, and that a reader may set."""
_TIMES = frozenset({Code.TIMES_DROPPED, Code.DURATION_UNKNOWN})
_TOKENS = frozenset({Code.TOKENS_DROPPED, Code.VALUE_TRUNCATED})
_FAILURES = frozenset({Code.ERROR_AS_TEXT, Code.METADATA_DROPPED})
_KINDS = frozenset({Code.AGENTS_SEPARATE, Code.GRAPH_FLATTENED, Code.TEXTS_DROPPED, *_FAILURES})
FOLLOWING: Mapping[str, Collection[Code]] = {
    "step_counts": _KINDS,
    "root_type": _KINDS,
    "agents": _KINDS,
    "models": _KINDS,
    "cost": _KINDS,
    "reported_cost": _KINDS,
    "llm_wall_ms": _TIMES | _KINDS,
    "tool_wall_ms": _TIMES | _KINDS,
    "time_to_first_token_ms": _TIMES | _KINDS,
    "reasoning_tokens": _TOKENS | _KINDS,
    "cache_read_tokens": _TOKENS | _KINDS,
    "cache_creation_tokens": _TOKENS | _KINDS,
    "outcome": _TIMES | _FAILURES,
    "failures": _TIMES | _FAILURES,
    "errors": _TIMES | _FAILURES,
}
"""Members of ``extraction`` that are computed from the steps, with the losses that change them.

``outcome`` and ``errors`` are only partly computed from steps; the rest is counted as lost. Which
failures a run recovered from also depends on the times of its steps.
"""
DIALECTS = "dialects"
"""Member of ``extraction``; for an imported run, the format from which the run was read."""
_NOT_OF_STEPS = (Outcome.CANCELLED, Outcome.PAUSED, Outcome.UNFINISHED)
"""Outcomes that cannot be computed from the failures of steps."""
_NOT_COUNTED = RECOMPUTED | FOLLOWING.keys() | {DIALECTS}


_IsIn: TypeAlias = "Callable[[DocumentStep], object]"
_Lost: TypeAlias = "Sequence[tuple[Code, _IsIn]]"


class Member(NamedTuple):
    """A member of a step: its loss code, and a function that returns whether a step has it."""

    code: Code
    is_in: _IsIn


def _has_place(step: DocumentStep) -> bool:
    """Return whether a step has an owner, and a parent other than this owner."""
    return step.owner is not None and step.parent_id not in ("", step.owner.id)


def _has_time(name: str) -> _IsIn:
    return lambda step: step.basic_info.get(name) not in _EMPTY


def _has_latency(step: DocumentStep) -> bool:
    return "latency_first_resp" in step.model_info  # "0" is a known latency


def _has_tokens(step: DocumentStep) -> bool:
    info = step.model_info
    return bool(info) and any(map(info.get, TOKEN_COUNTS))


_has_output: _IsIn = attrgetter("output")
_has_error: _IsIn = attrgetter("error")
_EMPTY = (None, "", "0", 0)
MEMBERS: Mapping[str, Member] = {
    "name": Member(Code.METADATA_DROPPED, attrgetter("name")),
    "parent_id": Member(Code.METADATA_DROPPED, _has_place),
    "input": Member(Code.TEXTS_DROPPED, attrgetter("input")),
    "output": Member(Code.TEXTS_DROPPED, _has_output),
    "started_at": Member(Code.TIMES_DROPPED, _has_time("started_at")),
    "duration": Member(Code.TIMES_DROPPED, _has_time("duration")),
    "error": Member(Code.METADATA_DROPPED, _has_error),
    "latency_first_resp": Member(Code.TIMES_DROPPED, _has_latency),
    "tokens": Member(Code.TOKENS_DROPPED, _has_tokens),
}
"""The members of a step, except id, type and metadata; the most frequent first."""
WHOLE = frozenset(MEMBERS)
ERROR_TEXT = "error_text"
"""Replaces ``error`` if a format preserves only the error messages of steps without output."""
_IN_TEXT = (
    Member(Code.ERROR_AS_TEXT, lambda step: _has_error(step) and not step.output),
    Member(Code.METADATA_DROPPED, lambda step: _has_error(step) and step.output),
)


@dataclass(frozen=True, slots=True)
class KeptOfStep:
    """The members that a format preserves in steps of one type."""

    members: Collection[str] = WHOLE
    """Names in ``MEMBERS``, or ``ERROR_TEXT``."""
    metadata: Collection[str] | None = None
    """Keys in ``metadata`` that are preserved; ``None`` for all."""

    is_flattened: bool = False
    """Whether the format omits these steps and preserves only their descendants."""

    def lost(self) -> _Lost:
        """Return, for each loss code, a function that returns whether a step has such a loss."""
        if self.is_flattened:
            return [(Code.GRAPH_FLATTENED, lambda _: True)]
        found: dict[Code, list[_IsIn]] = {}
        for code, is_in in self._members():
            found.setdefault(code, []).append(is_in)
        return [(code, _any_of(*checks)) for code, checks in found.items()]

    def _members(self) -> Iterator[Member]:
        for name, one in MEMBERS.items():
            if name not in self.members and (name != "error" or ERROR_TEXT not in self.members):
                yield one
        if (metadata := self.metadata) is not None:
            yield Member(Code.METADATA_DROPPED, partial(_has_others, frozenset(metadata)))
        yield from _IN_TEXT if ERROR_TEXT in self.members else ()


FLATTENED = KeptOfStep(is_flattened=True)


def _has_others(kept: frozenset[str], step: DocumentStep) -> bool:
    return not step.metadata.keys() <= kept


def _any_of(first: _IsIn, *others: _IsIn) -> _IsIn:
    if not others:
        return first
    rest = _any_of(*others)
    return lambda step: first(step) or rest(step)


class Kept:
    """The members that a format preserves in a run."""

    def __init__(
        self,
        run: Collection[str] = (),
        steps: Mapping[str, KeptOfStep] | None = None,
        root: KeptOfStep | None = None,
    ) -> None:
        """Declare the preserved members of ``extraction`` (``run``), and of steps by their type.

        Steps of other types are preserved completely, or counted elsewhere. If ``root`` is
        ``None``, the root is treated like other steps of its type. ``errors`` in ``run`` means the
        types and stack traces of errors, and the failures of spans that are not steps.
        """
        self.run = _NOT_COUNTED.union(run)
        self.has_all_errors = "errors" in run
        self.lost_of_root = None if root is None else root.lost()
        of_types = steps or {}
        self.lost = {type_: lost for type_, of in of_types.items() if (lost := of.lost())}
        has_places = AGENT not in of_types or "parent_id" in of_types[AGENT].members
        self.lost_of_place: _Lost = () if has_places else [MEMBERS["parent_id"]]
        """For an agent that is also a step of another agent: the loss of ``parent_id``, or none."""


def count_lost(view: Document, kept: Kept, losses: Losses) -> None:
    """Count the members of a run and of its steps that the format does not preserve."""
    count_of_run(view, kept, losses)
    if kept.lost:
        _count_of_steps(view, kept, losses)


def count_of_run(view: Document, kept: Kept, losses: Losses) -> None:
    """Count the members of ``extraction`` that the format does not preserve."""
    extraction, run = view.extraction, kept.run
    for name, value in extraction.json.items():
        if name not in run and value:
            losses.note(Code.METADATA_DROPPED, f"extraction.{name}")
    if extraction.outcome in _NOT_OF_STEPS:
        losses.note(Code.METADATA_DROPPED, "extraction.outcome")
    if not kept.has_all_errors and (errors := extraction.errors):
        _count_of_errors(view, errors, losses)


def _count_of_errors(view: Document, errors: Iterable[DocumentFailure], losses: Losses) -> None:
    """Count, as lost, the failures of spans that are not steps, and those that a step cannot hold.

    A step has no traceback, and may lack the type of its error.
    """
    steps = view.by_id()
    for at, error in enumerate(errors):
        step = steps.get(error.where)
        known = step.metadata.get("error_type") if step is not None else None
        if step is None or error.traceback or error.type not in ("", known):
            losses.note(Code.METADATA_DROPPED, f"extraction.errors.{at}")


def _count_of_steps(view: Document, kept: Kept, losses: Losses) -> None:
    lost, root = kept.lost, view.root
    of_root = lost.get(root.type, ()) if kept.lost_of_root is None else kept.lost_of_root
    of_agents = lost.get(AGENT, ())
    known = {agent.id for agent in view.agents}
    if root.id not in known:
        _count(root, of_root, losses)
    for agent in view.agents:
        is_root = agent.id == root.id and kept.lost_of_root is not None
        _count(agent, of_root if is_root else of_agents, losses)
        for step in agent.steps:
            of_type = kept.lost_of_place if step.id in known else lost.get(step.type, ())
            _count(step, of_type, losses)


def _count(step: DocumentStep, lost: _Lost, losses: Losses) -> None:
    for code, is_in in lost:
        if is_in(step):
            losses.note(code, step.id)
