"""A request that is split and joined again is the same, with the fields that we added."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from tests.support.otlp_requests import message_of, spooled, wire_span

from spanloom.collector.intake.tenancy import sizes_by_project
from spanloom.collector.spool.sift import assemble, cut

if TYPE_CHECKING:
    from spanloom.core.ports.spans import SpooledRequest


def request_of(sizes: list[list[int]]) -> SpooledRequest:
    """Make a request in two projects; ``sizes`` has the spans per scope of each resource."""
    message = message_of([])
    del message.resource_spans[:]
    number = 0
    for place, scopes in enumerate(sizes):
        resource = message.resource_spans.add()
        project = resource.resource.attributes.add(key="spanloom.project")
        project.value.string_value = f"project {place % 2}"
        for count in scopes:
            scope = resource.scope_spans.add(schema_url=f"scope {place}")
            for _ in range(count):
                number += 1
                span = wire_span("ab" * 16, number)
                span.attributes.add(key="list").value.array_value.values.add().int_value = number
                scope.spans.append(span)
    return spooled(message)


@given(st.lists(st.lists(st.integers(0, 4), max_size=3), max_size=3), st.data())
def test_the_parts_are_the_request(sizes: list[list[int]], data: st.DataObject) -> None:
    request = request_of(sizes)
    spans = cut(request)
    assert len(spans) == request.span_count
    at = data.draw(st.integers(0, len(spans)))
    parts = [assemble(request, spans[:at]), assemble(request, spans[at:])]
    assert [part.span_count for part in parts] == [at, len(spans) - at]
    assert {part.seq for part in parts} == {request.seq}
    again = [placed.span for part in parts for placed in cut(part)]
    assert again == [placed.span for placed in spans], "the JSON texts of lists too"
    if not any(0 in scopes or not scopes for scopes in sizes):
        assert assemble(request, spans).body == request.body, "the projects too"


def test_what_cannot_be_read_is_left_whole() -> None:
    request = replace(request_of([[1]]), body=b"\xff")
    assert cut(request) == ()


def test_each_part_keeps_its_project() -> None:
    request = request_of([[2], [2]])
    spans = cut(request)
    first = assemble(request, spans[:1]).body
    assert b"project 0" in first
    assert b"project 1" not in first
    assert first.endswith(b"\xc2\x3e\x09project 0"), "what intake decided stands behind the rest"
    assert set(sizes_by_project(first, [""])) == {""}
