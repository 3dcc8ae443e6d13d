"""Handmade events and spans of coding agents, in the form in which the service stores them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import MS, START_NS, extract_spans, make_span

from spanloom.core.model.span import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory

SESSION = {"session.id": "s-1"}


def bare(number: int, name: str, at: float, ms: float = 0, /, **values: str) -> Span:
    """Return a log record without span, written at ``at`` ms; ``__`` in a key means a dot."""
    attributes = {"event.name": name, "log.bridge": "true", **SESSION, **_keys(values)}
    return make_span(
        number, 0, attributes, start=at - ms, end=at, name=name, scope="logs"
    )._replace(service_name="agent")


def event(name: str, at: float, /, **values: str) -> Event:
    """Return a log record that is an event of its span."""
    return Event(START_NS + int(at * MS), name, {"event.name": name, **SESSION, **_keys(values)})


def _keys(values: dict[str, str]) -> dict[str, str]:
    return {key.replace("__", "."): value for key, value in values.items()}


def steps(trajectory: Trajectory, kind: str) -> Sequence[Step]:
    """Return the steps of a type, ordered by start."""
    found = {s.id: s for agent in trajectory.agent_steps for s in agent.steps}
    return sorted((s for s in found.values() if s.type == kind), key=lambda s: (s.start_ns, s.id))


def run(*spans: Span) -> Trajectory:
    """Return the trajectory of spans, which must not depend on their order."""
    first = extract_spans(*spans)
    assert extract_spans(*reversed(spans)) == first
    return first
