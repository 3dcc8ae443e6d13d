"""Failures of a run as lines: a step's own, and those of the plumbing below it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document, whole
from spanloom.core.model.trajectory import NO_CODE, with_type
from spanloom.core.showing.values import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

Failure = dict[str, Any]  # an item of ``extraction.errors``
MAX_CHARS = 400


def failures_by_step(document: dict[str, Any]) -> Mapping[str, Sequence[Failure]]:
    """Return the listed failures of a canonical document by the step that shows them."""
    found: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in Document(document).extraction.get("errors") or []:
        found[str(failure.get("step_id"))].append(failure)
    return found


def failure_texts(step: DocumentStep, listed: Sequence[Failure]) -> Iterator[str]:
    """Yield what failed in a step, a line each: ``KeyError: 'city'``.

    The step's own failure comes first; what failed below it, in spans that are no steps, names its
    span: ``ConnectionError: refused (in span 3f2a…, recovered)``.
    """
    own = step.error
    if own:
        yield _words(own, str(step.metadata.get("error_type") or ""))
    for failure in listed:
        where = str(failure.get("where"))
        if where != step.id and not (own and own.get("msg") == failure.get("msg")):
            recovered = ", recovered" if failure.get("recovered") else ""
            yield f"{_words(failure, str(failure.get('type', '')))} (in span {where}{recovered})"


def _words(error: Mapping[str, Any], kind: str) -> str:
    code = whole(error.get("code"), NO_CODE)
    number = f"{code} " if code != NO_CODE else ""
    message = shortened(str(error.get("msg") or "failed"), MAX_CHARS)
    return number + with_type(message, kind)
