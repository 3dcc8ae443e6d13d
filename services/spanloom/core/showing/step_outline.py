"""The steps of a document by start time, numbered from 1, with equal neighbours folded."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import Document
from spanloom.core.model.trajectory import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.document import DocumentStep

    Json = Mapping[str, Any]


class Placed(NamedTuple):
    """A step, its number from 1, and the name of the agent that owns it."""

    place: int
    agent: str
    step: DocumentStep

    @property
    def error(self) -> str:
        """Its error, ``429: slow down``, or ``failed``; empty if it did not fail."""
        error = self.step.error
        if error is None:
            return ""
        code = "" if error["code"] == NO_CODE else f"{error['code']}: "
        return f"{code}{error['msg'] or 'failed'}"


def place_steps(document: Json) -> Sequence[Placed]:
    """Return every step by start time; of equal starts the longest comes first."""
    owned = sorted(Document(document).steps, key=_start)
    return [Placed(place, step.agent_name, step) for place, step in enumerate(owned, 1)]


def outline(steps: Sequence[Placed]) -> Iterator[dict[str, Any]]:
    """Yield one line per step; equal neighbours share one: ``get_order`` 17 times.

    Steps are equal if type, name, agent and error are. Durations (``ms``) are summed. ::

        {"from": 3, "type": "tool", "name": "get_order", "agent": "shop", "ms": 96,
         "to": 19, "times": 17}
    """
    for (kind, name, agent, error), same in groupby(steps, _likeness):
        first, *more = same
        line: dict[str, Any] = {
            "from": first.place,
            "type": kind,
            "name": name,
            "agent": agent,
            "ms": sum(own.step.duration for own in (first, *more)),
        }
        if more:
            line |= {"to": more[-1].place, "times": 1 + len(more)}
        if error:
            line["error"] = error
        yield line


def _likeness(own: Placed) -> tuple[str, str, str, str]:
    step = own.step
    return step.type, step.name, own.agent, own.error


def _start(step: DocumentStep) -> tuple[int, int, str]:
    start_ms, end_ms = step.times
    return start_ms, -end_ms, step.id
