"""Normalized spans: what a dialect made of a span (kind, rule) and its data in common form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Kind, StepError, Usage


class Classification(NamedTuple):
    """How a dialect classifies a span."""

    kind: Kind
    rule: str
    """Name of the rule that decided, as listed in ``docs/dialects.md``."""
    part_of: str | None = None
    """Id of the span whose run this span reports a second time."""
    inside: str | None = None
    """Id of the step in which this span ran, if that is not the reported parent."""
    usage: Usage | None = None
    """Tokens of the call as reported by other spans; fill what the call's own span leaves out."""
    summed_from: Usage | None = None
    """If a call reports tokens as a running sum: the sum before the call, to be subtracted."""
    facts: Facts | None = None
    """Texts and names from other spans that replace the span's own, where not empty."""
    is_sound: bool = False
    """Whether the span's error is to be ignored: the operation itself ended well."""
    question: str | None = None
    """The question to a person if the span waits for one and has no error that reports it."""


@dataclass(slots=True)
class Facts:
    """What a span reports about its step; fields are empty where it reports nothing."""

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
    """Of a run: whether it continues an earlier one that waited for a person.

    An input ``Command(resume="yes")`` is detected for every dialect; other signs are set here.
    """
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Further metadata of the step."""


@dataclass(slots=True)
class NormalizedSpan:
    """A stored span with its classification and its data in common form."""

    span: Span
    dialect: str
    kind: Kind
    rule: str
    part_of: str | None
    facts: Facts
    error: StepError | None
    """Kept for noise too: a node whose first attempt failed is no step."""
    inside: str | None = None
    question: str | None = None
    """The question to a person if the span waits for one; empty if the question is unknown."""
    is_approval: bool = False
    """Whether the question is if a tool may run: other tools of the call may run meanwhile."""
    is_cancelled: bool = False
    """Whether it was stopped from outside: neither a failure nor a result."""
