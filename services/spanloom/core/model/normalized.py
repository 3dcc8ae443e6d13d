"""A span after its dialect: what it is, why, and what it says in the common words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind, StepError, Usage


class Classification(NamedTuple):
    """What a dialect says a span is."""

    kind: Kind
    rule: str
    """Names the rule that decided, as ``docs/dialects.md`` lists it."""
    part_of: str | None = None
    """The span id of the run that this span reports a second time."""
    inside: str | None = None
    """The span id of the step in which this one ran, where the reported parent is not it."""
    usage: Usage | None = None
    """What other spans report of a call's tokens: for what the call's own span leaves out."""
    summed_from: Usage | None = None
    """Where a call's tokens are a running sum: the sum before it, which is none of the call's."""
    facts: Facts | None = None
    """What other spans report of the step better than its own: texts and names, if not empty."""
    is_sound: bool = False
    """Whether the error on the span is another's: what it reports ended well."""
    question: str | None = None
    """What a person is asked where the span waits for one, and no error on it says so."""


@dataclass(slots=True)
class Facts:
    """What a span that matters says about its step; empty where it says nothing."""

    input: str = ""
    output: str = ""
    usage: Usage | None = None
    model: str = ""
    first_token_ms: float | None = None
    agent_name: str = ""
    tool_name: str = ""
    data_kind: str = ""
    """Of tools: ``retrieval``, ``embedding``, ``reranking``, ``guardrail`` or empty."""
    response_id: str = ""
    conversation_id: str = ""
    is_resuming: bool = False
    """Of a run: whether it goes on with an earlier one that waited for a person.

    ``Command(resume="yes")`` shows it whoever reports it; what else does, a dialect notes here.
    """
    metadata: Mapping[str, str] = field(default_factory=dict)
    """What else the step's metadata shows."""


@dataclass(slots=True)
class NormalizedSpan:
    """A stored span in the common words."""

    span: Span
    dialect: str
    kind: Kind
    rule: str
    part_of: str | None
    facts: Facts
    error: StepError | None
    """Of plumbing too: a node whose first attempt failed is no step."""
    inside: str | None = None
    question: str | None = None
    """What a person was asked, where the span waits for one; empty where it does not tell."""
    is_approval: bool = False
    """Whether the question is if a tool may run: others of the same call may run meanwhile."""
    is_cancelled: bool = False
    """Whether it was stopped from outside: no failure, and no result either."""
