"""The steps of a document in one order, numbered from 1, and folded where neighbours are equal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.model.trajectory import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Json = Mapping[str, Any]


class Placed(NamedTuple):
    """A step, its place from 1, and the agent that owns it."""

    place: int
    agent: str
    step: Json

    @property
    def error(self) -> str:
        """What its failure says, ``429: slow down``, or ``failed``; empty where nothing did."""
        error = self.step["basic_info"].get("error")
        if error is None:
            return ""
        code = "" if error["code"] == NO_CODE else f"{error['code']}: "
        return f"{code}{error['msg'] or 'failed'}"


def place_steps(document: Json) -> Sequence[Placed]:
    """Return every step in the order of their starts; of equal starts the longest comes first."""
    owned = [(agent["name"], step) for agent in document["agent_steps"] for step in agent["steps"]]
    owned.sort(key=lambda item: _start(item[1]))
    return [Placed(place, agent, step) for place, (agent, step) in enumerate(owned, 1)]


def outline(steps: Sequence[Placed]) -> Iterator[dict[str, Any]]:
    """Yield a line for each step; equal neighbours share one: ``get_order`` 17 times.

    Equal are those of one type, name and agent that failed alike, or did not fail. ::

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
            "ms": sum(int(own.step["basic_info"]["duration"]) for own in (first, *more)),
        }
        if more:
            line |= {"to": more[-1].place, "times": 1 + len(more)}
        if error:
            line["error"] = error
        yield line


def _likeness(own: Placed) -> tuple[str, str, str, str]:
    return own.step["type"], own.step["name"], own.agent, own.error


def _start(step: Json) -> tuple[int, int, str]:
    info = step["basic_info"]
    start_ms = int(info["started_at"])
    return start_ms, -start_ms - int(info["duration"]), step["id"]
