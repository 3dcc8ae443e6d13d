"""The typed view of a trajectory document: its steps, their owners, parents, order and errors.

Nobody else takes the JSON of a document apart. A view copies nothing: it reads a member when it is
asked for, and makes steps one by one, so a document of 100,000 steps costs what is used of it.

Members have the names of the schema (``formats/canonical_schema.json``). What a partial or foreign
document lacks reads as empty: a text as ``""``, a number as 0, a list as no items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    Json = dict[str, Any]  # an object as json parses it: typed by its schema, not by Python

_NUMERIC = (str, int, float)
ROOT, AGENTS = "root_step", "agent_steps"
OF_THE_RUN: Final = ("id", ROOT, AGENTS)
"""Members of a document that are of the run, and not of how it was extracted."""
AGENT: Final = "agent"
"""The type of whoever owns steps, but for a root, which may be anything."""
SHOWN: Final = ("name", "input", "output", "basic_info")
"""Members that a step has wherever it stands: as the root, as an agent, among an agent's steps."""


class DocumentStep:
    """One step, with the agent that owns it."""

    __slots__ = ("id", "json", "name", "owner", "parent_id", "type")

    def __init__(
        self, json: Json, type_: str | None = None, owner: DocumentAgent | None = None
    ) -> None:
        """View the JSON of a step; its type is the one that it names, unless that is known."""
        get = json.get
        self.json = json
        """The step as the document has it."""
        self.id: str = get("id") or ""
        """Its span id."""
        self.parent_id: str = get("parent_id") or ""
        """The nearest step above it; empty for the root."""
        self.name: str = get("name") or ""
        """What it is called."""
        self.type: str = (get("type") or "") if type_ is None else type_
        """``agent``, ``model``, ``tool`` or ``graph``; of a root also ``other``."""
        self.owner = owner
        """The agent that owns it; ``None`` for agents and the root."""

    @property
    def agent_id(self) -> str:
        """The agent that owns it; empty where nobody does."""
        return self.owner.id if self.owner is not None else ""

    @property
    def agent_name(self) -> str:
        """The name of the agent that owns it; empty where nobody does."""
        return self.owner.name if self.owner is not None else ""

    @property
    def input(self) -> str:
        """What it was given."""
        return self.json.get("input") or ""

    @property
    def output(self) -> str:
        """What it answered."""
        return self.json.get("output") or ""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What else is known of it."""
        return self.json.get("metadata") or {}

    @property
    def model(self) -> str:
        """The model that a call was made of; empty where nothing names it."""
        return self.metadata.get("model") or ""

    @property
    def basic_info(self) -> Mapping[str, Any]:
        """Its times, texts of milliseconds, and its error."""
        return self.json.get("basic_info") or {}

    @property
    def started_at(self) -> int:
        """When it began, in milliseconds since the epoch."""
        return whole((self.json.get("basic_info") or {}).get("started_at"))

    @property
    def duration(self) -> int:
        """How long it ran, in milliseconds."""
        return whole((self.json.get("basic_info") or {}).get("duration"))

    @property
    def ended_at(self) -> int:
        """When it ended, in milliseconds since the epoch."""
        return self.started_at + self.duration

    @property
    def error(self) -> Mapping[str, Any] | None:
        """The code and the message of its failure; ``None`` if it did not fail."""
        return (self.json.get("basic_info") or {}).get("error") or None

    @property
    def error_message(self) -> str:
        """The message of its failure; empty if it did not fail."""
        error = (self.json.get("basic_info") or {}).get("error")
        return (error.get("msg") or "") if error else ""

    @property
    def model_info(self) -> Mapping[str, Any]:
        """What a model call used; empty for any other step."""
        return self.json.get("model_info") or {}

    @property
    def metrics_info(self) -> Mapping[str, Any]:
        """What was measured of an agent or of the root; empty for any other step."""
        return self.json.get("metrics_info") or {}

    @property
    def tokens(self) -> Mapping[str, Any]:
        """What a model call used, or all calls of an agent or of the root together."""
        return self.model_info or self.metrics_info


class DocumentAgent(DocumentStep):
    """An agent, or the root where it owns steps itself."""

    __slots__ = ()

    @property
    def steps(self) -> Iterator[DocumentStep]:
        """The steps that it owns, in the order of the document."""
        for step in self.json.get("steps") or ():
            yield DocumentStep(step, None, self)

    @property
    def agent_name(self) -> str:
        """Its own name."""
        return self.name


class Document:
    """A trajectory document."""

    __slots__ = ("json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        """View the JSON of a document."""
        self.json = json
        """The document as it was parsed."""

    @property
    def id(self) -> str:
        """Its trace id."""
        return self.json.get("id") or ""

    @property
    def extraction(self) -> Mapping[str, Any]:
        """How the document came to be; empty in a document of another origin."""
        return self.json.get("extraction") or {}

    @property
    def root_type(self) -> str:
        """The type of the root; empty where nothing says it."""
        return self.extraction.get("root_type") or ""

    @property
    def root(self) -> DocumentStep:
        """The run as a whole."""
        return DocumentStep(self.json.get(ROOT) or {}, self.root_type)

    @property
    def agents(self) -> Iterator[DocumentAgent]:
        """Every agent, and the root where it owns steps, in the order of the document."""
        for agent in self.json.get(AGENTS) or ():
            yield DocumentAgent(agent, AGENT)

    @property
    def steps(self) -> Iterator[DocumentStep]:
        """Every step that an agent owns, agent by agent, in the order of the document."""
        for agent in self.agents:
            for step in agent.json.get("steps") or ():  # not `agent.steps`: twice as quick
                yield DocumentStep(step, None, agent)

    def by_id(self) -> dict[str, DocumentStep]:
        """Return the root, agents and what they own by id.

        What is an agent and also the step of another one is there as an agent.
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
        """Return the JSON of the document with no other agents and owned steps than these."""
        agents = [
            {**agent.json, "steps": [step.json for step in agent.steps if step.id in ids]}
            for agent in self.agents
            if agent.id in ids
        ]
        return {**self.json, AGENTS: agents}


def whole(value: object, otherwise: int = 0) -> int:
    """Read a number of the document, written as a number or as digits."""
    if not isinstance(value, _NUMERIC):
        return otherwise
    try:
        return int(value)
    except (ValueError, OverflowError):
        return otherwise
