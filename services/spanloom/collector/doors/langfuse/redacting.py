"""Redacts what Langfuse's events say before it is remembered: the memory is a file, too.

Fields are redacted under the keys that they will have as attributes of a span. Ids, times and
types stay: they are how events find each other.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.collector.doors.langfuse.changes import CREATED, METADATA, Subject
from spanloom.collector.doors.langfuse.spans import (
    OBSERVATION,
    OBSERVATION_METADATA,
    REDACTED,
    TRACE,
    TRACE_METADATA,
)
from spanloom.collector.intake.redaction.rules import Place
from spanloom.collector.intake.redaction.walk import is_gone
from spanloom.core.conventions.run_context import write_counts

if TYPE_CHECKING:
    from spanloom.collector.doors.langfuse.changes import Change
    from spanloom.collector.intake.redaction.redactor import Redactor
    from spanloom.collector.intake.redaction.walk import Findings

_STRUCTURE = frozenset(
    {
        "traceId",
        "parentObservationId",
        "startTime",
        "endTime",
        "completionStartTime",
        "type",
        "level",
        CREATED,
    }
)

_TEXTS = {"statusMessage": Place.STATUS, "name": Place.NAMES}
"""Fields that also become a span's message and name."""


def redact_change(change: Change, redactor: Redactor) -> None:
    """Take what must not be stored out of the fields of one event, in place."""
    is_error = change.fields.get("level") == "ERROR"
    for name, value in list(change.fields.items()):
        if name in _STRUCTURE or not isinstance(value, str | bool | int | float):
            continue
        found: Findings = Counter()
        key = _key(change.subject, name)
        if is_error and name == "output":  # an error's text may stand here: a status message
            left = redactor.text(Place.STATUS, str(value), found)
            new = redactor.by_rules(Place.SPAN, key, left, found)
        else:
            new = redactor.value(Place.SPAN, key, value, found)
            if name in _TEXTS and isinstance(new, str):
                new = redactor.text(_TEXTS[name], new, found)
        shown = redactor.key(Place.SPAN, name, found)
        del change.fields[name]
        if not is_gone(new):
            change.fields[shown] = new
        if found:
            redactor.count(found)
            counts = Counter({rule: n for (rule, _), n in found.items()})
            change.fields[REDACTED + shown] = write_counts(counts)


def _key(subject: Subject, name: str) -> str:
    """Return the attribute that a field becomes."""
    is_trace = subject is Subject.TRACE
    if name.startswith(METADATA):
        return (TRACE_METADATA if is_trace else OBSERVATION_METADATA) + name[len(METADATA) :]
    known = TRACE if is_trace else OBSERVATION
    prefix = "langfuse.trace." if is_trace else "langfuse.observation."
    return known.get(name, prefix + name)
