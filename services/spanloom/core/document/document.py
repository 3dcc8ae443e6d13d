"""Typed access to a document as a whole: its root, its agents, and all of their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spanloom.core.document.extraction import DocumentExtraction
from spanloom.core.document.steps import DocumentAgent, DocumentStep

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from spanloom.core.document.steps import Json

ROOT, AGENTS, EXTRACTION = "root_step", "agent_steps", "extraction"
OF_THE_RUN: Final = ("id", ROOT, AGENTS)
"""Members of a document that describe the run; ``extraction`` describes how it was built."""
AGENT: Final = "agent"
"""The type of every step that owns steps, except for a root."""


class Document:
    """A trajectory document."""

    __slots__ = ("json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        """Wrap the JSON of a document."""
        self.json = json
        """The document as it was parsed."""

    @property
    def id(self) -> str:
        """The trace id."""
        return self.json.get("id") or ""

    @property
    def extraction(self) -> DocumentExtraction:
        """The ``extraction`` object; empty in a document from another program."""
        return DocumentExtraction(self.json.get(EXTRACTION) or {})

    @property
    def root_type(self) -> str:
        """The type of the root; empty if it is unknown."""
        return self.extraction.root_type

    @property
    def root(self) -> DocumentStep:
        """The root, which represents the whole run."""
        return DocumentStep(self.json.get(ROOT) or {}, self.root_type)

    @property
    def agents(self) -> Iterator[DocumentAgent]:
        """Every agent, and the root if it owns steps, in the order of the document."""
        for agent in self.json.get(AGENTS) or ():
            yield DocumentAgent(agent, AGENT)

    @property
    def steps(self) -> Iterator[DocumentStep]:
        """Every owned step, agent by agent, in the order of the document."""
        for agent in self.agents:
            for step in agent.json.get("steps") or ():  # twice as fast as `agent.steps`
                yield DocumentStep(step, None, agent)

    def by_id(self) -> dict[str, DocumentStep]:
        """Return the root, the agents and their steps, keyed by id.

        A step that is also an agent is returned as an agent.
        """
        found: dict[str, DocumentStep] = {}
        for agent in self.agents:
            found.setdefault(agent.id, agent)
        for step in self.steps:
            found.setdefault(step.id, step)
        root = self.root
        found.setdefault(root.id, root)
        return found

    def with_steps(self, ids: Collection[str]) -> Json:
        """Return the JSON of the document with only the agents and steps in ``ids``."""
        agents = [
            {**agent.json, "steps": [step.json for step in agent.steps if step.id in ids]}
            for agent in self.agents
            if agent.id in ids
        ]
        return {**self.json, AGENTS: agents}


class _HeldAgent(DocumentAgent):
    __slots__ = ("held",)

    def __init__(self, json: Json) -> None:
        super().__init__(json, AGENT)
        self.held = [DocumentStep(step, None, self) for step in json.get("steps") or ()]

    @property
    def steps(self) -> Iterator[DocumentStep]:
        return iter(self.held)


class HeldDocument(Document):
    """A document for callers that iterate several times; step objects are created only once."""

    __slots__ = ("_agents", "_root", "_steps")

    def __init__(self, json: Mapping[str, Any]) -> None:
        """Wrap the JSON of a document, and create all step objects."""
        super().__init__(json)
        self._root = super().root
        self._agents = [_HeldAgent(agent) for agent in json.get(AGENTS) or ()]
        self._steps = [step for agent in self._agents for step in agent.held]

    @property
    def root(self) -> DocumentStep:
        """See ``Document.root``."""
        return self._root

    @property
    def agents(self) -> Iterator[DocumentAgent]:
        """See ``Document.agents``."""
        return iter(self._agents)

    @property
    def steps(self) -> Iterator[DocumentStep]:
        """See ``Document.steps``."""
        return iter(self._steps)
