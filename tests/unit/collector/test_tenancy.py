"""The project of each resource: decided once, and written where no sender can write it."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.otlp_requests import message_of, wire_span

from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.validate import Validated, validate_request
from spanloom.core.model.access import MAX_PROJECT_BYTES
from spanloom.storage.spans.values import own_text

OURS, OTHERS = "spanloom.project", "openinference.project.name"
SPAN = wire_span("ab" * 16, 1)
FORGED = b"\xc2\x3e\x06forged"
"""The collector's own field of a resource entry, as a sender might forge it."""


def projects_of(body: bytes) -> list[str]:
    return [own_text(group) for group in ExportTraceServiceRequest.FromString(body).resource_spans]


def validated(attributes: dict[str, object], key_project: str = "") -> Validated:
    body = message_of([SPAN], attributes).SerializeToString()
    return validate_request(body, Limits(), key_project)


@pytest.mark.parametrize(
    ("attributes", "key_project", "project"),
    [
        ({}, "", "default"),
        ({OTHERS: "other"}, "", "other"),
        ({OTHERS: "other", OURS: "own"}, "", "own"),
        ({OTHERS: "other", OURS: "own"}, "of the key", "of the key"),
        ({OTHERS: "other", OURS: ""}, "", "other"),
        ({OURS: "ünï-码"}, "", "ünï-码"),
        ({OURS: "' OR 1=1 --"}, "", "' OR 1=1 --"),
        ({OURS: "p" * MAX_PROJECT_BYTES}, "", "p" * MAX_PROJECT_BYTES),
    ],
)
def test_the_first_that_names_one_decides(
    attributes: dict[str, object], key_project: str, project: str
) -> None:
    found = validated(attributes, key_project)
    assert (projects_of(found.body), found.message) == ([project], "")


@pytest.mark.parametrize(
    "name",
    ["a\nb", "nul\0", " padded ", "*", "p" * (MAX_PROJECT_BYTES + 1), "码" * 100, "\u202eevil", 7],
)
def test_what_no_project_may_be_called_is_passed_over_and_told(name: object) -> None:
    found = validated({OURS: name, OTHERS: "shop"})
    assert (projects_of(found.body), found.rejected) == (["shop"], 0)
    assert "project names" in found.message
    assert projects_of(validated({OURS: name}).body) == ["default"]


def test_each_resource_has_its_own() -> None:
    request = message_of([SPAN], {OURS: "a"})
    request.MergeFrom(message_of([wire_span("ab" * 16, 2)]))
    request.MergeFrom(message_of([wire_span("ab" * 16, 3)], {OTHERS: "c"}))
    found = validate_request(request.SerializeToString(), Limits())
    assert projects_of(found.body) == ["a", "default", "c"]


def test_a_sender_cannot_write_our_field() -> None:
    request = message_of([SPAN])
    request.resource_spans[0].MergeFromString(FORGED)
    for attributes in ({}, {"k" * 600: "makes the request be written again"}):
        for key, text in attributes.items():
            request.resource_spans[0].resource.attributes.add(key=key).value.string_value = text
        found = validate_request(request.SerializeToString(), Limits(), "mine")
        assert projects_of(found.body) == ["mine"]
