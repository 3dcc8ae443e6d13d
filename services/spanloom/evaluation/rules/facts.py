"""The facts that rules judge: the steps of a run or of one agent, sorted by start."""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep, HeldDocument

_STARTED_AT = attrgetter("started_at")
_NUMBERS_AS_WRITTEN = frozenset(".eE")
_CALLING = frozenset({"agent", "graph"})


class Facts:
    """The steps and agents of a run, or the steps of one of its agents, for rules."""

    def __init__(self, document: HeldDocument, agent: DocumentAgent | None = None) -> None:
        """Use a document; with ``agent``, only the steps of this agent."""
        self.document = document
        self.agent = agent
        self._canonical: dict[str, str] = {}
        self._once: dict[Hashable, str] = {}

    @property
    def top(self) -> DocumentStep:
        """The agent to which these facts are limited, or else the root of the run."""
        return self.agent or self.document.root

    @cached_property
    def agents(self) -> Sequence[DocumentAgent]:
        """The agents, sorted by start and id."""
        if self.agent is not None:
            return [self.agent]
        return sorted(self.document.agents, key=lambda agent: (agent.started_at, agent.id))

    @cached_property
    def steps(self) -> Sequence[DocumentStep]:
        """The steps of the agents, sorted by start, then by agent."""
        return sorted((s for agent in self.agents for s in agent.steps), key=_STARTED_AT)

    @cached_property
    def tools(self) -> Sequence[DocumentStep]:
        """The tool steps, sorted by start."""
        return [step for step in self.steps if step.type == "tool"]

    @cached_property
    def models(self) -> Sequence[DocumentStep]:
        """The model steps, sorted by start."""
        return [step for step in self.steps if step.type == "model"]

    @cached_property
    def counted(self) -> Sequence[DocumentStep]:
        """The steps that the query field ``steps`` counts, including the root."""
        root = self.document.root
        if self.agent is None and root.type in _CALLING:
            return [root, *(step for step in self.steps if step.id != root.id)]
        return self.steps

    @property
    def has_times(self) -> bool:
        """Whether any step has a time; runs made of messages have none."""
        return any(step.started_at or step.duration for step in (self.top, *self.steps))

    @cached_property
    def callers(self) -> Mapping[str, DocumentAgent]:
        """The calling agent, keyed by the id of the called agent."""
        found: dict[str, DocumentAgent] = {}
        for agent in self.document.agents:
            for step in agent.steps:
                if step.type == "agent" and step.id != agent.id:
                    found.setdefault(step.id, agent)
        return found

    def each_agent(self) -> Iterator[Facts]:
        """Yield the facts of each agent."""
        return (Facts(self.document, agent) for agent in self.agents)

    def once(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return a text that is computed once for all rules that need it."""
        if key not in self._once:
            self._once[key] = make()
        return self._once[key]

    def canonical(self, text: str) -> str:
        """Return canonical JSON: keys sorted, ``1.0`` as 1; results are cached."""
        known = self._canonical.get(text)
        if known is None:
            known = self._canonical[text] = canonical(text)
        return known


def canonical(text: str) -> str:
    """Return canonical JSON, equal for equal values; text that is not JSON is unchanged."""
    value = json_value(text)
    if isinstance(value, str) and value == text:
        return text
    return canonical_value(value, has_floats=not _NUMBERS_AS_WRITTEN.isdisjoint(text))


def canonical_value(value: Any, *, has_floats: bool = True) -> str:  # any JSON value
    """Return canonical JSON of a value, equal for equal values."""
    if has_floats:
        value = _whole(value)
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return dump(sorted_keys(value)).decode()


def _whole(value: Any) -> Any:  # any JSON value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value
