"""Spans as read from the store, and what a dialect made of them.

Spans never change. Their fields are in the order in which the store's read query selects the
columns, so that ``Span._make`` turns a row into a span: the extractor reads tens of thousands a
second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.trajectory import Kind, StepError, Usage


class TraceKey(NamedTuple):
    """Identifies a trace: trace ids are unique within a project only."""

    project: str
    trace_id: str
    """32 lowercase hex digits."""


class Event(NamedTuple):
    """A span event."""

    time_ns: int
    name: str
    attributes: Mapping[str, str]


class Link(NamedTuple):
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, str]


class Span(NamedTuple):
    """One stored span, the newest version of it.

    Attribute values are text: strings as they are, numbers in decimal, booleans ``true`` or
    ``false``, bytes in base64, arrays and key-value lists as JSON, an unset value empty.
    """

    trace_id: str
    span_id: str
    """16 lowercase hex digits."""
    parent_span_id: str
    """Empty for a root."""
    name: str
    kind: str
    """``Internal``, ``Server``, ``Client``, ``Producer``, ``Consumer`` or ``Unspecified``."""
    start_ns: int
    """Nanoseconds since the epoch, 0 to 2^64 - 1, exactly as sent."""
    end_ns: int
    status_code: str
    """``Unset``, ``Ok`` or ``Error``."""
    status_message: str
    service_name: str
    scope_name: str
    scope_version: str
    attributes: Mapping[str, str]
    events: Sequence[Event]
    links: Sequence[Link]
    row_version: int
    """Grows each time the span is accepted."""
    environment: str = ""
    """Where the service runs, ``production``: a resource attribute, like ``service_name``."""
    release: str = ""
    """The version of the service, else the revision of its source: resource attributes."""

    @property
    def is_finished(self) -> bool:
        """Whether it has an end, not before its start; else it is a copy that was sent open."""
        return self.end_ns >= self.start_ns and self.end_ns > 0

    @property
    def precedence(self) -> tuple[bool, int, int]:
        """Orders versions of one span: the highest counts."""
        return self.is_finished, self.row_version, self.start_ns


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
    is_unknown: bool = False
    """Whether the dialect does not know the span: others that recognise it are tried too."""
    error: StepError | None = None
    """The failure of the operation, where the span itself does not report it as one."""
    is_cancelled: bool = False
    """Whether the operation was stopped from outside, where the span does not report it."""


KNOWS_NOTHING = (".plumbing", ".component")
"""Endings of the catch-all rules for spans of a library."""
GUARDRAIL = "guardrail"
"""``Facts.data_kind``, and ``tool_kind`` of steps, of checks of inputs or outputs."""


ASIDE = "runs_aside"
"""Metadata key of an agent whose texts are not those of the agent around it: it makes a title.
"""


@dataclass(slots=True)
class Facts:
    """What a span reports about its step; fields are empty where it reports nothing."""

    input: str = ""
    output: str = ""
    usage: Usage | None = None
    total_tokens: int = 0
    """The sum of all tokens, where the dialect reads one; attributes are read for every dialect."""
    model: str = ""
    first_token_ms: float | None = None
    agent_name: str = ""
    tool_name: str = ""
    data_kind: str = ""
    """Of tools: ``retrieval``, ``embedding``, ``reranking``, ``memory``, ``guardrail`` or empty.

    ``guardrail`` also for a graph: a check of the framework, which no model called.
    """
    response_id: str = ""
    conversation_id: str = ""
    is_resuming: bool = False
    """Of a run: whether it continues an earlier one that waited for a person.

    An input ``Command(resume="yes")`` is detected for every dialect; other signs are set here.
    """
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Further metadata of the step."""
    notes: Sequence[str] = ()
    """For the root: warnings about data that its sender never reports."""


class UnreadKeys(NamedTuple):
    """Attributes that look like token counts, messages or a model, and are in no table."""

    named: Sequence[str] = ()
    """Keys that name tokens, messages or a model."""
    counts: Sequence[str] = ()
    """Keys that name tokens, even if other senders hold messages in them."""


NOTHING_UNREAD = UnreadKeys()


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
    """Kept for noise too: a node whose first attempt failed is not a step."""
    inside: str | None = None
    question: str | None = None
    """The question to a person if the span waits for one; empty if the question is unknown."""
    is_approval: bool = False
    """Whether the question is if a tool may run: other tools of the call may run meanwhile."""
    is_cancelled: bool = False
    """Whether it was stopped from outside: neither a failure nor a result."""
    is_scope_known: bool | None = None
    """Whether a dialect lists the scope; ``None`` for a span without a library's marks."""
    unread: UnreadKeys = NOTHING_UNREAD
    """Attributes that look as if they should have been read."""
