"""Finds the step that an annotation's anchor describes, in another version of the document.

The resulting state is computed on read, never stored, so a replay that restores the old text makes
annotations valid again.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.document import AGENT, Document
from spanloom.core.model.annotation import WHOLE, Anchor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from spanloom.core.document import DocumentStep

if TYPE_CHECKING:
    Json = dict[str, Any]  # a parsed document

QUOTED = 200
"""Length in characters of the quote from a step that is stored with an annotation."""


class AnchoredStep(NamedTuple):
    """A step of a document, with the fields that anchors need."""

    id: str
    type: str
    hash: str
    agent_id: str
    agent_name: str
    ordinal: int
    quote: str
    parent_id: str = ""
    merged: Sequence[str] = ()
    """Ids of spans merged into this step."""

    @property
    def is_judged(self) -> bool:
        """Whether annotators have to judge this step; agents are judged through their steps."""
        return self.type != AGENT

    def anchor(self, version: int) -> Anchor:
        """Return the anchor to store with an annotation made on this version."""
        place = self.agent_id, self.ordinal, self.type, self.agent_name
        return Anchor(version, self.hash, *place, self.quote)


class Anchors:
    """All steps of one version of a document, indexed by id and by content hash."""

    def __init__(self, version: int, steps: Sequence[AnchoredStep]) -> None:
        """Index the steps, which are in (start, id) order."""
        self.version = version
        self.steps = steps
        self.by_id = {step.id: step for step in reversed(steps)}
        self.by_hash: dict[str, list[AnchoredStep]] = {}
        for step in self.by_id.values():
            self.by_hash.setdefault(step.hash, []).append(step)
        self.merged = {span_id: step.id for step in steps for span_id in step.merged}

    def below(self, step_id: str) -> Sequence[AnchoredStep]:
        """Return a step and its descendants, in order; every step for an empty id."""
        if not step_id:
            return self.steps
        ids = {step_id}
        while more := {s.id for s in self.steps if s.parent_id in ids} - ids:
            ids |= more
        return [step for step in self.steps if step.id in ids]

    @cached_property
    def judged(self) -> Sequence[str]:
        """The ids of the steps to judge, in order."""
        return [step.id for step in self.steps if step.is_judged]

    @cached_property
    def to_judge(self) -> frozenset[str]:
        """The ids in ``judged`` as a set, for fast lookups in long runs."""
        return frozenset(self.judged)


def anchors_of(document: Json) -> Anchors:
    """Return the steps of a canonical document as anchors.

    The content hash covers type, name, input, output and error. It leaves out times, tokens,
    parents and metadata, because late spans change them and annotators do not judge them.
    """
    view = Document(document)
    names = {agent.id: agent.name for agent in view.agents}
    ordered = sorted(_steps(view), key=lambda owned: (owned[1].times[0], owned[1].id))
    equal: Counter[tuple[str, str]] = Counter()
    steps: dict[str, AnchoredStep] = {}
    for agent_id, step, kind in ordered:
        digest = hash_step(step, kind)
        equal[agent_id, digest] += 1
        merged = step.metadata.get("merged_span_ids", "")
        steps.setdefault(
            step.id,
            AnchoredStep(
                step.id,
                kind,
                digest,
                agent_id,
                names.get(agent_id, ""),
                equal[agent_id, digest],
                quote_of(step),
                step.parent_id,
                tuple(filter(None, merged.split(","))) if merged else (),
            ),
        )
    return Anchors(view.extraction.version, list(steps.values()))


def hash_step(step: DocumentStep, kind: str) -> str:
    """Return the hash of a step's content: 32 hex digits."""
    error = step.error
    code, message = (error.get("code"), error.get("msg")) if error else (None, None)
    text = orjson.dumps([kind, step.name, step.input, step.output, code, message])
    return blake2b(text, digest_size=16).hexdigest()


def quote_of(step: DocumentStep) -> str:
    """Return a step's name and the beginning of its output, or of its input if it has none."""
    return f"{step.name}: {step.output or step.input}"[:QUOTED]


def _steps(document: Document) -> Iterator[tuple[str, DocumentStep, str]]:
    """Yield (owning agent's id, step, type) of every step; each agent occurs once, as a step."""
    root = document.root
    seen = set()
    for agent in document.agents:
        for step in agent.steps:
            seen.add(step.id)
            yield agent.id, step, step.type
    for agent in document.agents:
        if agent.id not in seen and agent.id != root.id:
            seen.add(agent.id)
            yield agent.parent_id, agent, AGENT
    if root.id and root.id not in seen:
        yield "", root, AGENT


class State(StrEnum):
    """The relation of the current version of the document to an annotation."""

    VALID = "valid"
    """The step is unchanged."""
    CHANGED = "changed"
    """The step's content has changed, or the annotated content was not stored."""
    MOVED = "moved"
    """The step is no longer in the document, but another step corresponds to it."""
    ORPHANED = "orphaned"
    """The step is no longer in the document, and no other step corresponds to it."""
    WHOLE = "whole"
    """The annotation judges the whole trajectory, in the version that it names."""


COUNTING = frozenset({State.VALID, State.MOVED, State.WHOLE})
"""The states in which annotations count towards scores and agreement by default."""


class Fate(NamedTuple):
    """The step to which a span belongs, or otherwise the rule that classified it as noise."""

    step_id: str | None
    rule: str = ""


class CurrentState(NamedTuple):
    """The state of an annotation in the current version, and the step to which it applies now."""

    state: State
    step_id: str = ""
    """The id of the current step; empty for orphans and whole-run annotations."""
    reason: str = ""


def current_state(
    step_id: str, anchor: Anchor, now: Anchors, fates: Callable[[], Mapping[str, Fate]]
) -> CurrentState:
    """Return the state of an annotation in the current version, whose anchors are ``now``.

    ``fates`` is called only if the version has neither the annotated step nor a step into which it
    was merged.
    """
    if step_id == WHOLE:
        return CurrentState(State.WHOLE)
    if (step := now.by_id.get(step_id)) is not None:
        return _same_step(anchor, step)
    if (home := now.merged.get(step_id)) is not None:
        return CurrentState(State.MOVED, home, "its span belongs to this step now")
    return _other_step(anchor, now, fates().get(step_id))


def _other_step(anchor: Anchor, now: Anchors, fate: Fate | None) -> CurrentState:
    if fate is not None and fate.step_id in now.by_id:
        return CurrentState(State.MOVED, fate.step_id or "", "its span belongs to this step now")
    if (twin := _twin(anchor, now)) is not None:
        return CurrentState(State.MOVED, twin.id, "this step has the same content")
    if fate is not None:
        return CurrentState(State.ORPHANED, "", f"its span is no longer a step, by {fate.rule}")
    return CurrentState(State.ORPHANED, "", "no span has its id now")


def _same_step(anchor: Anchor, step: AnchoredStep) -> CurrentState:
    if anchor.step_hash == step.hash:
        return CurrentState(State.VALID, step.id)
    if not anchor.step_hash:
        return CurrentState(
            State.CHANGED, step.id, "the content of the step at that time was not stored"
        )
    return CurrentState(State.CHANGED, step.id, "the step has changed")


def _twin(anchor: Anchor, now: Anchors) -> AnchoredStep | None:
    """Return the step with the anchor's content; of several, the step at its position, if any."""
    alike = now.by_hash.get(anchor.step_hash, []) if anchor.step_hash else []
    if len(alike) == 1:
        return alike[0]
    place = anchor.agent_id, anchor.ordinal
    return next((step for step in alike if (step.agent_id, step.ordinal) == place), None)
