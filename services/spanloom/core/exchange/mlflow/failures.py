"""Finds the exception type and stack trace for the step in which a failure began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.document import DocumentFailure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.formats.json_bytes import Json

_SHORTEST = 5
"""Minimum characters of an inner step's message that is searched in an outer step's message."""
_MESSAGE, _TYPE, _TRACE = "exception.message", "exception.type", "exception.stacktrace"
_NONE = DocumentFailure({})
"""The failure of a step that has no type and no stack trace."""


class Failures:
    """The exceptions of one run.

    A step that only passes on the failure of an inner step gets the message, but neither type nor
    stack trace, because a document lists each failure once, so they could not be read back.
    """

    def __init__(self, document: Document, steps: Sequence[tuple[DocumentStep, str]]) -> None:
        """Find the step in which each failure began."""
        errors = document.extraction.errors
        self.places: Sequence[str] = [one.where for one in errors]
        """Ids of the spans that failed, in the order of the document's list."""
        self._known: Mapping[str, DocumentFailure] = dict(zip(self.places, errors, strict=True))
        self._passed_on = set(_passed_on(steps)) if self._known else set()

    def event(self, step: DocumentStep, time_ns: int) -> Json:
        """Return the exception event of a failed step."""
        failure = _NONE if step.id in self._passed_on else self._known.get(step.id, _NONE)
        fields = {
            _MESSAGE: step.error_message,
            _TYPE: failure.type or step.metadata.get("error_type"),
            _TRACE: failure.traceback,
        }
        known = {name: value for name, value in fields.items() if value}
        return {"name": "exception", "time_unix_nano": time_ns, "attributes": known}


def _passed_on(steps: Sequence[tuple[DocumentStep, str]]) -> Iterator[str]:
    """Yield the ids of steps whose failure repeats the failure of a step below them."""
    parents = {step.id: parent_id for step, parent_id in steps}
    failed = {step.id: step.error_message for step, _ in steps if step.error is not None}
    for step_id, message in failed.items():
        above, ways = parents[step_id], len(parents)
        while above and above not in failed and ways:
            above, ways = parents.get(above, ""), ways - 1
        if above in failed and _repeats(failed[above], message):
            yield above


def _repeats(outer: str, inner: str) -> bool:
    return outer == inner or (len(inner) >= _SHORTEST and inner in outer)
