"""What a run has, what a format keeps of it, and counting the rest: one rule for all formats.

A format declares once what it keeps (``Kept``). What a run has beyond that is counted when it is
written: of a step once for each code, at the step's id; of the run once for each member, at
``extraction.MEMBER``. Members that follow from the steps are lost only with what they follow from,
and members that the importing store determines are no content.

What of a text is lost is not declared: the functions of calls and conversation count it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spanloom.core.conventions.imported import TOKEN_COUNTS
from spanloom.core.document import AGENT, AGENTS, ROOT
from spanloom.core.formats.imported import TOLD_ANEW
from spanloom.core.formats.losses import Code
from spanloom.core.model.trajectory import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.document import Document
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

OF_THE_SENDER = ("conversation_id", "user_id", "environment", "release", "tags", "metadata")
"""Members of ``extraction`` that the sender of a run says."""
OF_THE_SOURCE = (*OF_THE_SENDER, "services", "linked_traces")
"""Those that do not follow from the steps, and that a run may be read with."""
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
"""Members of ``extraction`` that follow from the steps, and the losses of steps that change them.

Of ``outcome`` and ``errors`` only a part follows; the rest is counted. What a run recovered from
follows from the times of its steps, too."""
DIALECTS = "dialects"
"""The format that was read, in a run that was read."""
_NOT_OF_STEPS = frozenset({Outcome.CANCELLED, Outcome.PAUSED, Outcome.UNFINISHED})
"""Outcomes that do not follow from the failures of steps."""
_NOTHING: Mapping[str, Any] = {}
_NOT_COUNTED = TOLD_ANEW | FOLLOWING.keys() | {DIALECTS}


_IsIn: TypeAlias = "Callable[[Json, str], object]"
_Lost: TypeAlias = "Sequence[tuple[Code, Sequence[_IsIn]]]"


class Member(NamedTuple):
    """A member of a step: the code of its loss, and whether a step has one."""

    code: Code
    is_in: _IsIn
    """Of the JSON of a step and the id of the agent that owns it."""


def _member_of(info: str, name: str) -> _IsIn:
    """Return whether an inner object has a member that is not empty, 0 or ``"0"``."""
    return lambda step, _: (step.get(info) or _NOTHING).get(name) not in _EMPTY


def _has_error(step: Json, _owner: str = "") -> object:
    return (step.get("basic_info") or _NOTHING).get("error")


def _has_latency(step: Json, _owner: str) -> bool:
    return "latency_first_resp" in (step.get("model_info") or _NOTHING)  # "0" is one, too


def _has_tokens(step: Json, _owner: str) -> bool:
    return any(map((step.get("model_info") or _NOTHING).get, TOKEN_COUNTS))


_EMPTY = (None, "", "0", 0)
MEMBERS: Mapping[str, Member] = {
    "parent_id": Member(
        Code.METADATA_DROPPED, lambda step, owner: step.get("parent_id") not in ("", owner, None)
    ),
    "name": Member(Code.METADATA_DROPPED, lambda step, _: step.get("name")),
    "input": Member(Code.TEXTS_DROPPED, lambda step, _: step.get("input")),
    "output": Member(Code.TEXTS_DROPPED, lambda step, _: step.get("output")),
    "started_at": Member(Code.TIMES_DROPPED, _member_of("basic_info", "started_at")),
    "duration": Member(Code.TIMES_DROPPED, _member_of("basic_info", "duration")),
    "error": Member(Code.METADATA_DROPPED, _has_error),
    "latency_first_resp": Member(Code.TIMES_DROPPED, _has_latency),
    "tokens": Member(Code.TOKENS_DROPPED, _has_tokens),
}
"""Members of a step beside its id, type and metadata."""
WHOLE = frozenset(MEMBERS)
ERROR_TEXT = "error_text"
"""Kept instead of ``error``: the message of the failure, where there is no output."""
_IN_TEXT = (
    Member(Code.ERROR_AS_TEXT, lambda step, _: _has_error(step) and not step.get("output")),
    Member(Code.METADATA_DROPPED, lambda step, _: _has_error(step) and step.get("output")),
)


@dataclass(frozen=True, slots=True)
class KeptOfStep:
    """What a format keeps of the steps of a type."""

    members: Collection[str] = WHOLE
    """Names of ``MEMBERS``, or ``ERROR_TEXT``."""
    metadata: Collection[str] | None = None
    """Names in ``metadata``; ``None``: all of them."""

    is_flattened: bool = False
    """Whether there are no such steps in it, only those below them."""

    def lost(self) -> _Lost:
        """Return what it does not keep, by the code of the loss."""
        if self.is_flattened:
            return [(Code.GRAPH_FLATTENED, [lambda *_: True])]
        found: dict[Code, list[_IsIn]] = {}
        for code, is_in in self._members():
            found.setdefault(code, []).append(is_in)
        return list(found.items())

    def _members(self) -> Iterator[Member]:
        if (metadata := self.metadata) is not None:
            yield Member(Code.METADATA_DROPPED, partial(_has_others, frozenset(metadata)))
        for name, one in MEMBERS.items():
            if name not in self.members and (name != "error" or ERROR_TEXT not in self.members):
                yield one
        yield from _IN_TEXT if ERROR_TEXT in self.members else ()


FLATTENED = KeptOfStep(is_flattened=True)


def _has_others(kept: frozenset[str], step: Json, _owner: str) -> bool:
    return not (step.get("metadata") or _NOTHING).keys() <= kept


class Kept:
    """What a format keeps of a run."""

    def __init__(
        self,
        run: Collection[str] = (),
        steps: Mapping[str, KeptOfStep] | None = None,
        root: KeptOfStep | None = None,
    ) -> None:
        """Declare the members of ``extraction``, and what is kept of steps by their type.

        Of steps of other types all is kept, or counted elsewhere. Without ``root`` the root is as
        other steps of its type. ``errors`` of the run means their types and traces, and failures of
        spans that are no steps.
        """
        self.run = _NOT_COUNTED.union(run)
        self.has_all_errors = "errors" in run
        self.lost_of_root = None if root is None else root.lost()
        self.lost = {type_: lost for type_, of in (steps or {}).items() if (lost := of.lost())}


def count_lost(view: Document, kept: Kept, losses: Losses) -> None:
    """Count what a run has and the format does not keep."""
    count_of_run(view, kept, losses)
    if kept.lost:
        _count_of_steps(view, kept, losses)


def count_of_run(view: Document, kept: Kept, losses: Losses) -> None:
    """Count the members of ``extraction`` that the format does not keep."""
    told = view.extraction
    for name in told.keys() - kept.run:
        if told[name]:
            losses.note(Code.METADATA_DROPPED, f"extraction.{name}")
    if told.get("outcome") in _NOT_OF_STEPS:
        losses.note(Code.METADATA_DROPPED, "extraction.outcome")
    if (errors := told.get("errors")) and not kept.has_all_errors:
        _count_of_errors(view, errors, losses)


def _count_of_errors(view: Document, errors: Iterable[Json], losses: Losses) -> None:
    """Count failures of spans that are no steps, and those with more than their step has."""
    steps = view.by_id()
    for at, error in enumerate(errors):
        step = steps.get(error.get("where", ""))
        told = step.metadata.get("error_type") if step is not None else None
        if step is None or error.get("traceback") or error.get("type") not in ("", told):
            losses.note(Code.METADATA_DROPPED, f"extraction.errors.{at}")


def _count_of_steps(view: Document, kept: Kept, losses: Losses) -> None:
    lost, of_root = kept.lost, kept.lost_of_root
    agents = view.json.get(AGENTS) or ()
    known = {agent.get("id") for agent in agents}
    place = MEMBERS["parent_id"]
    is_lost = any(place.is_in in checks for _, checks in lost.get(AGENT, ()))
    of_agents: _Lost = [(place.code, [place.is_in])] if is_lost else []
    """What an agent's entry does not have, but its place among the steps of another."""
    root = view.json.get(ROOT) or {}
    if root.get("id") not in known:
        of_type = lost.get(view.root_type, ()) if of_root is None else of_root
        _count(root, "", of_type, losses)
    for agent in agents:
        owner = agent.get("id") or ""
        is_other = of_root is None or owner != root.get("id")
        of_type = lost.get(AGENT, ()) if is_other else of_root or ()
        _count(agent, agent.get("parent_id") or "", of_type, losses)
        for step in agent.get("steps") or ():
            of_type = of_agents if step.get("id") in known else lost.get(step.get("type"), ())
            _count(step, owner, of_type, losses)


def _count(step: Json, owner: str, lost: _Lost, losses: Losses) -> None:
    for code, checks in lost:
        for is_in in checks:
            if is_in(step, owner):
                losses.note(code, step.get("id") or "")
                break
