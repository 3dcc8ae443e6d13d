"""Where annotations hold on to a document: a hash of what each step says, and its place."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.document import AGENT, Document
from spanloom.core.model.annotation import Anchor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from spanloom.core.document import DocumentStep

    Json = dict[str, Any]  # a document as it is parsed

QUOTED = 200
"""Characters of a step that are kept with its annotation."""


class AnchoredStep(NamedTuple):
    """A step of a document, as far as annotations need it."""

    id: str
    type: str
    hash: str
    agent_id: str
    agent_name: str
    ordinal: int
    quote: str
    parent_id: str = ""
    merged: Sequence[str] = ()
    """Spans that count under it and are no step of their own."""

    @property
    def is_judged(self) -> bool:
        """Whether a complete judgement needs it: agents are judged by their steps."""
        return self.type != AGENT

    def anchor(self, version: int) -> Anchor:
        """Return it as an annotation keeps it."""
        place = self.agent_id, self.ordinal, self.type, self.agent_name
        return Anchor(version, self.hash, *place, self.quote)


class Anchors:
    """All steps of one version of a document, by id and by what they say."""

    def __init__(self, version: int, steps: Sequence[AnchoredStep]) -> None:
        """Take the steps in (start, id) order."""
        self.version = version
        self.steps = steps
        self.by_id = {step.id: step for step in reversed(steps)}
        self.by_hash: dict[str, list[AnchoredStep]] = {}
        for step in self.by_id.values():
            self.by_hash.setdefault(step.hash, []).append(step)
        self.merged = {span_id: step.id for step in steps for span_id in step.merged}

    def below(self, step_id: str) -> Sequence[AnchoredStep]:
        """Return a step and all below it, in order; every step for an empty id."""
        if not step_id:
            return self.steps
        found = {step_id}
        while more := {s.id for s in self.steps if s.parent_id in found} - found:
            found |= more
        return [step for step in self.steps if step.id in found]

    @cached_property
    def judged(self) -> Sequence[str]:
        """The ids of the steps that a complete judgement needs, in order."""
        return [step.id for step in self.steps if step.is_judged]

    @cached_property
    def to_judge(self) -> frozenset[str]:
        """The same ids as a set: of a long run there are very many."""
        return frozenset(self.judged)


def anchors_of(document: Json) -> Anchors:
    """Return the anchors of a canonical document.

    Hashed are type, name, input, output and error: not times, tokens, parents or metadata, which
    change with what arrives late and say nothing that was judged.
    """
    view = Document(document)
    names = {agent.id: agent.name for agent in view.agents}
    ordered = sorted(_steps(view), key=lambda found: (found[1].started_at, found[1].id))
    equal: Counter[tuple[str, str]] = Counter()
    steps: dict[str, AnchoredStep] = {}
    for agent_id, step, kind in ordered:
        said = hash_step(step, kind)
        equal[agent_id, said] += 1
        merged = step.metadata.get("merged_span_ids", "")
        steps.setdefault(
            step.id,
            AnchoredStep(
                step.id,
                kind,
                said,
                agent_id,
                names.get(agent_id, ""),
                equal[agent_id, said],
                quote_of(step),
                step.parent_id,
                tuple(filter(None, merged.split(","))),
            ),
        )
    return Anchors(int(view.extraction.get("version", 0)), list(steps.values()))


def hash_step(step: DocumentStep, kind: str) -> str:
    """Return what identifies what a step says: 32 hex digits."""
    error, said = step.error or {}, [kind, step.name, step.input, step.output]
    text = orjson.dumps([*said, error.get("code"), error.get("msg")])
    return blake2b(text, digest_size=16).hexdigest()


def quote_of(step: DocumentStep) -> str:
    """Return name and beginning of a step."""
    return f"{step.name}: {step.output or step.input}"[:QUOTED]


def _steps(document: Document) -> Iterator[tuple[str, DocumentStep, str]]:
    """Yield every step with the agent that owns it and its type: an agent once, as a step."""
    root = document.root
    met = set()
    for step in document.steps:
        met.add(step.id)
        yield step.agent_id, step, step.type
    for agent in document.agents:
        if agent.id not in met and agent.id != root.id:
            met.add(agent.id)
            yield agent.parent_id, agent, AGENT
    if root.id and root.id not in met:
        yield "", root, AGENT
