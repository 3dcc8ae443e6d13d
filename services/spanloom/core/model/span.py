"""Spans as read from the store, and how a dialect classified and described them.

Spans never change. Their fields are in the order in which the store's read query selects the
columns, so that ``Span._make`` turns a row into a span. This has to be fast, because the extractor
reads tens of thousands of rows a second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.step import StepError, Usage
    from spanloom.core.model.trajectory import Kind


class TraceKey(NamedTuple):
    """Identifies a trace; a trace id is unique only within a project."""

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
    """The newest version of a stored span.

    Attribute values are text: strings unchanged, numbers in decimal, booleans ``true`` or
    ``false``, bytes in base64, arrays and key-value lists as JSON, unset values empty.
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
    """Grows each time the same span is accepted."""
    environment: str = ""
    """The environment of the service, such as ``production``, from a resource attribute."""
    release: str = ""
    """The version of the service, or else its source revision, from resource attributes."""

    @property
    def is_finished(self) -> bool:
        """Whether the span has an end, not before its start; open spans are sent without an end."""
        return self.end_ns >= self.start_ns and self.end_ns > 0

    @property
    def precedence(self) -> tuple[bool, int, int]:
        """Sort key of a span's versions; the highest one counts."""
        return self.is_finished, self.row_version, self.start_ns


class Classification(NamedTuple):
    """The classification of a span by a dialect."""

    kind: Kind
    rule: str
    """Name of the rule that decided; ``docs/dialects.md`` lists them."""
    part_of: str | None = None
    """Id of the span whose run this span reports a second time."""
    inside: str | None = None
    """Id of the step in which this span ran, if it is not the reported parent."""
    usage: Usage | None = None
    """The model call's token counts in other spans, which complete the counts in its own span."""
    summed_from: Usage | None = None
    """The sum before a model call that reports tokens as a running sum; it is subtracted."""
    facts: Facts | None = None
    """Texts and names from other spans; non-empty values replace those of the span itself."""
    is_sound: bool = False
    """Whether to ignore the span's error, because the operation itself succeeded."""
    question: str | None = None
    """The question to a person if the span waits for an answer and no error reports it."""
    is_unknown: bool = False
    """Whether the dialect does not know the span; other dialects that recognise it are tried."""
    error: StepError | None = None
    """The failure of the operation, if the span itself does not report it as a failure."""
    is_cancelled: bool = False
    """Whether the operation was stopped from outside, if the span itself does not report it."""


KNOWS_NOTHING = (".plumbing", ".component")
"""Suffixes of the rules for spans that a library's dialect does not know in detail."""
GUARDRAIL = "guardrail"
"""The value of ``Facts.data_kind``, and of ``tool_kind`` on steps, for input or output checks."""


ASIDE = "runs_aside"
"""Metadata key of an agent outside its parent's conversation, such as one that makes a title."""


@dataclass(slots=True)
class Facts:
    """The facts about a step that its span reports; fields are empty if not reported."""

    input: str = ""
    output: str = ""
    usage: Usage | None = None
    total_tokens: int = 0
    """The reported sum of all tokens; if 0, it is searched in the span's attributes."""
    model: str = ""
    first_token_ms: float | None = None
    agent_name: str = ""
    tool_name: str = ""
    data_kind: str = ""
    """A tool's kind of data access: ``retrieval``, ``embedding``, ``reranking`` or ``memory``, or
    ``guardrail``; otherwise empty.

    ``guardrail`` is also set on a graph: a check by the framework, which no model called.
    """
    response_id: str = ""
    conversation_id: str = ""
    is_resuming: bool = False
    """Whether a run continues an earlier run that waited for a person.

    An input ``Command(resume="yes")`` is detected for all dialects; otherwise the dialect sets the
    field.
    """
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Further metadata of the step."""
    notes: Sequence[str] = ()
    """Warnings about data that the sender never reports; only on the root."""


class UnreadKeys(NamedTuple):
    """Attribute keys that look like token counts, messages or a model, but that no code reads."""

    named: Sequence[str] = ()
    """Keys that name tokens, messages or a model."""
    counts: Sequence[str] = ()
    """Keys that name tokens, even if other senders use them for messages."""


NOTHING_UNREAD = UnreadKeys()


@dataclass(slots=True)
class NormalizedSpan:
    """A stored span with its classification and its facts in the common form."""

    span: Span
    dialect: str
    kind: Kind
    rule: str
    part_of: str | None
    facts: Facts
    error: StepError | None
    """The span's failure; also set on noise, because a node that was retried is not a step."""
    inside: str | None = None
    question: str | None = None
    """The question to a person if the span waits for an answer; empty if no question is known."""
    is_approval: bool = False
    """Whether the question asks if a tool may run; other tools of its model call may then run."""
    is_cancelled: bool = False
    """Whether the span was stopped from outside, which is neither a failure nor a result."""
    is_scope_known: bool | None = None
    """Whether a dialect lists the scope; ``None`` if no attribute identifies a library."""
    unread: UnreadKeys = NOTHING_UNREAD
    """Attributes named like token counts, messages or a model that no code reads."""
