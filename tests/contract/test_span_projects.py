"""Every store separates the spans of different projects and counts stored bytes per project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import (
    message_of,
    spooled,
    wire_span,
)
from tests.support.span_store import names

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def test_traces_of_projects_are_apart(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    other = TraceKey(new_project(), key.trace_id)
    for owner in (key, other):
        store.spans.append(
            [spooled(message_of([wire_span(key.trace_id, 1, name=owner.project)]), owner.project)]
        )
    found = store.spans.read_spans([key, other, key])
    assert {k: names(v) for k, v in found.items()} == {k: [k.project] for k in (key, other)}


@pytest.mark.parametrize(
    ("attributes", "suffix"),
    [
        ({"spanloom.project": "{}-own"}, "-own"),
        ({"openinference.project.name": "{}-oi"}, "-oi"),
        ({"openinference.project.name": "{}-oi", "spanloom.project": "{}-own"}, "-own"),
    ],
)
def test_without_a_key_the_resource_names_the_project(
    store: Store, key: TraceKey, attributes: dict[str, str], suffix: str
) -> None:
    resource = {name: value.format(key.project) for name, value in attributes.items()}
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)], resource))])
    named = TraceKey(key.project + suffix, key.trace_id)
    assert set(store.spans.read_spans([named])) == {named}
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)], resource), key.project)])
    assert set(store.spans.read_spans([key])) == {key}


def test_without_any_name_the_project_is_default(store: Store, key: TraceKey) -> None:
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]))])
    assert set(store.spans.read_spans([TraceKey("default", key.trace_id)]))


def test_hostile_projects_are_only_names(store: Store, key: TraceKey) -> None:
    hostile = TraceKey(f"{key.project}' OR 1=1 --\\", key.trace_id)
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), hostile.project)])
    assert set(store.spans.read_spans([hostile])) == {hostile}
    assert store.spans.read_otlp(hostile)
    assert store.spans.read_spans([key]) == {}


def test_otlp_of_one_project_is_apart_from_that_of_another(
    store: Store, key: TraceKey, new_project: Callable[[], str]
) -> None:
    store.spans.append([spooled(message_of([wire_span(key.trace_id, 1)]), key.project)])
    assert store.spans.read_otlp(TraceKey(new_project(), key.trace_id)) == b""


def test_stored_bytes_are_told_by_project(store: Store, new_project: Callable[[], str]) -> None:
    small, large = new_project(), new_project()
    for project, text in ((small, "x"), (large, "x" * 100_000)):
        span = wire_span("ab" * 16, 1, attributes={"text": text})
        store.spans.append([spooled(message_of([span]), project)])
    stored = store.usage.stored_bytes(10**6)
    assert 0 < stored[small] < 2_000
    assert 100_000 < stored[large] < 102_000
    assert len(store.usage.stored_bytes(1)) == 1, "the largest, no more"
