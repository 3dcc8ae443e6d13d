"""Which versions of runs a rule wants to judge, as far as the feed or a list tells: no document."""

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


class Asked(NamedTuple):
    """A version of a run that may be judged."""

    key: TraceKey
    version: int
    status: Status
    conversation_id: str
    is_shown: bool
    """Whether lists show it by default: it repeats no other run, and has steps."""
    at_us: int
    """When it became known, in µs since the epoch."""
    is_past: bool = False
    """Whether somebody asked for runs of the past: a rule may be younger, and waits no longer."""

    @classmethod
    def of_line(cls, line: ListedRun, at_us: int, *, is_past: bool = False) -> Asked:
        """Return what a list, or the feed, tells of a run."""
        is_shown = not line.is_duplicate and line.has_steps
        talk = line.conversation_id
        return cls(line.key, line.version, line.status, talk, is_shown, at_us, is_past)

    @classmethod
    def of_document(cls, key: TraceKey, document: Document, at_us: int) -> Asked:
        """Return what a document tells of a run that lists have shown."""
        told = document.extraction
        status = Status(told.get("status") or Status.SETTLED)
        talk = str(told.get("conversation_id") or "")
        is_shown = told.get("duplicate_of") is None
        return cls(key, version_of(document), status, talk, is_shown, at_us, is_past=True)


def version_of(document: Document) -> int:
    """Return the version that a document has, 0 if it does not say."""
    version = document.extraction.get("version")
    return version if isinstance(version, int) else 0


def is_ripe(rule: OnlineRule, status: Status) -> bool:
    """Return whether a run has come far enough for a rule; one that was not built never has."""
    if status is Status.FAILED:
        return False
    return rule.when is When.PARTIAL or status is Status.SETTLED


def is_asked(rule: OnlineRule, asked: Asked) -> bool:
    """Return whether a rule wants a run, whatever its condition says.

    The sample is drawn by a hash: whoever asks, and whenever, gets the same answer.
    """
    key, status = asked.key, asked.status
    if key.project != rule.project or not asked.is_shown or rule.project == UNREAD_PROJECT:
        return False
    if status is not Status.SETTLED and not is_ripe(rule, status):
        return False
    if asked.at_us < rule.since_us and not asked.is_past:
        return False
    talk = asked.conversation_id if rule.unit is Unit.CONVERSATION else ""
    return is_sampled(rule.name, talk or key.trace_id, rule.sample)
