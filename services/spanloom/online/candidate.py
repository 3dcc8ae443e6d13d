"""Selects the runs that a rule may judge, before the rule's condition is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.online_rule import UNREAD_PROJECT, Unit, When
from spanloom.core.model.trajectory import Status
from spanloom.evaluation.sampling import is_sampled

if TYPE_CHECKING:
    from spanloom.core.document import Document
    from spanloom.core.model.online_rule import OnlineRule
    from spanloom.core.model.span import TraceKey
    from spanloom.core.query.lists import ListedRun


class Candidate(NamedTuple):
    """A version of a run that may be judged."""

    key: TraceKey
    version: int
    status: Status
    conversation_id: str
    is_listed: bool
    """Whether lists show the run by default: it is not a duplicate and has steps."""
    at_us: int
    """When the change of the run was announced, in µs since the epoch."""
    is_past: bool = False
    """Whether a past run is judged on request, so that the rule's start and delay do not apply."""

    @classmethod
    def of_line(cls, line: ListedRun, at_us: int, *, is_past: bool = False) -> Candidate:
        """Return the candidate for a run in a list or in the feed."""
        is_listed = not line.is_duplicate and line.has_steps
        conversation = line.conversation_id
        return cls(line.key, line.version, line.status, conversation, is_listed, at_us, is_past)

    @classmethod
    def of_document(cls, key: TraceKey, document: Document, at_us: int) -> Candidate:
        """Return the candidate for a past run, given its document; the run must have steps."""
        extraction = document.extraction
        version, status = extraction.version, extraction.status
        conversation = str(extraction.conversation_id)
        is_listed = extraction.duplicate_of is None
        return cls(key, version, status, conversation, is_listed, at_us, is_past=True)


def is_ripe(rule: OnlineRule, status: Status) -> bool:
    """Return whether a rule judges runs with this status, according to the rule's ``when``.

    ``when`` selects settled runs only, or runs with any status except failed.
    """
    if status is Status.FAILED:
        return False
    return rule.when is When.PARTIAL or status is Status.SETTLED


def is_eligible(rule: OnlineRule, candidate: Candidate) -> bool:
    """Return whether a rule may judge a run, provided that the run meets the rule's condition.

    Checks the project, the status, the start of the rule and the sample. Sampling is by a hash, so
    that the result for a run never changes.
    """
    key, status = candidate.key, candidate.status
    if key.project != rule.project or not candidate.is_listed or rule.project == UNREAD_PROJECT:
        return False
    if status is not Status.SETTLED and not is_ripe(rule, status):
        return False
    if candidate.at_us < rule.since_us and not candidate.is_past:
        return False
    conversation = candidate.conversation_id if rule.unit is Unit.CONVERSATION else ""
    return is_sampled(rule.name, conversation or key.trace_id, rule.sample)
