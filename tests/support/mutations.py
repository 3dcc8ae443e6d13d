"""Captured runs with something changed: what is extracted keeps what the rest still tells."""

from __future__ import annotations

import random
import re
from functools import cache
from typing import TYPE_CHECKING

from tests.support.ground_truth import Capture, all_captures
from tests.support.otlp_requests import spooled

from spanloom.extractor.extract import extract
from spanloom.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory

_AUTHORS_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)+")
_CONSONANTS = "bcdfghjklmnpqrstvwxz"


@cache
def traces_of(capture: Capture) -> Mapping[TraceKey, Sequence[Span]]:
    """Give the spans of each trace of a capture, as they are stored."""
    store = MemoryStore()
    store.append([spooled(body, "p") for body in capture.requests()])
    return store.read_spans([change.key for change in store.changes_since(-1)])


def largest_of_each_dialect() -> list[Capture]:
    """Give the run with the most spans of each folder of captures."""
    largest: dict[str, Capture] = {}
    for capture in sorted(all_captures(), key=lambda c: len(c.truth["spans"])):
        largest[capture.dialect] = capture
    return [largest[dialect] for dialect in sorted(largest)]


def extract_all(
    traces: Mapping[TraceKey, Sequence[Span]], change: Callable[[Span], Span]
) -> list[Trajectory]:
    """Extract each trace after changing each of its spans."""
    return [extract(key, map(change, spans)) for key, spans in sorted(traces.items())]


def outline(trajectories: Sequence[Trajectory]) -> list[object]:
    """Give what names and texts must not decide: kinds, steps, owners and counts."""
    return [
        (
            [(v.span_id, v.kind, v.step_id) for v in t.verdicts],
            [(a.step.id, [s.id for s in a.steps]) for a in t.agent_steps],
            t.root_metrics,
        )
        for t in trajectories
    ]


def new_names(capture: Capture) -> dict[str, str]:
    """Give each name that the author chose another of the same length, without any word in it."""
    chance = random.Random(capture.id)
    truth = capture.truth
    names = {c["name"] for c in truth["components"]} | {t["name"] for t in truth["tool_runs"]}
    return {
        name: "".join(c if c in "_-" else chance.choice(_CONSONANTS) for c in name)
        for name in sorted(names, key=len, reverse=True)
        if len(name) > 4 and _AUTHORS_NAME.fullmatch(name)
    }


def renamed(names: Mapping[str, str]) -> Callable[[Span], Span]:
    """Rename wherever a name stands: span names, attributes, events."""

    def new(text: str) -> str:
        for old, name in names.items():
            text = text.replace(old, name)
        return text

    def rename(span: Span) -> Span:
        said = {key: new(text) for key, text in span.attributes.items()}
        events = [
            event._replace(attributes={k: new(v) for k, v in event.attributes.items()})
            for event in span.events
        ]
        return span._replace(name=new(span.name), attributes=said, events=events)

    return rename


def without(key: str) -> Callable[[Span], Span]:
    """Drop an attribute wherever it stands."""
    return lambda span: span._replace(
        attributes={k: v for k, v in span.attributes.items() if k != key}
    )
