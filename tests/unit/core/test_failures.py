"""Real failures are found whatever the status says; control flow is none."""

from __future__ import annotations

import pytest
from tests.support.traces import make_span

from spanloom.core.dialects.failures import find_error
from spanloom.core.model.span import Event
from spanloom.core.model.trajectory import StepError


def exception(kind: str, message: str = "") -> Event:
    return Event(1, "exception", {"exception.type": kind, "exception.message": message})


def test_a_healthy_span_has_no_error() -> None:
    assert find_error(make_span(1, status="Ok")) is None
    assert find_error(make_span(1, events=[Event(1, "new_token", {})])) is None


def test_an_error_status_is_a_failure_with_its_message() -> None:
    assert find_error(make_span(1, status="Error", message="broken")) == StepError(-1, "broken")


def test_an_exception_event_is_a_failure_although_the_status_is_ok() -> None:
    span = make_span(1, status="Ok", events=[exception("Exception", "OpenAIAPIError('x')")])
    assert find_error(span) == StepError(-1, "OpenAIAPIError('x')")


@pytest.mark.parametrize("value", ["", "false", "null"])
def test_an_error_attribute_counts_if_it_says_something(value: str) -> None:
    assert find_error(make_span(1, None, {"error": value})) is None
    assert find_error(make_span(1, None, {"error.type": "timeout"})) == StepError(-1, "timeout")


@pytest.mark.parametrize(
    "span",
    [
        make_span(
            1, status="Ok", events=[exception("langgraph.errors.ParentCommand", "Command(…)")]
        ),
        make_span(1, status="Error", events=[exception("langgraph.errors.GraphInterrupt")]),
        make_span(1, status="Error", events=[exception("GeneratorExit")]),
        make_span(1, status="Error", events=[exception("*compose.interruptError", "interrupt")]),
        make_span(1, status="Error", events=[exception("*core.InterruptSignal")]),
        make_span(1, None, {"error.type": "ParentCommand"}, status="Error", message="Command()"),
        make_span(1, status="Error", message="Command(graph='supervisor:1', update={})"),
        make_span(1, status="Ok", events=[exception("Exception", "GraphInterrupt((Interrupt(")]),
    ],
)
def test_control_flow_is_no_failure(span: object) -> None:
    assert find_error(span) is None  # type: ignore[arg-type]  # spans, parametrized


def test_a_command_that_fails_is_a_failure() -> None:
    assert find_error(make_span(1, status="Error", message="Command failed: ls")) is not None


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Error code: 500 - The server had an error", 500),
        ("error, status code: 429, status: 429 Too Many Requests", 429),
        ("took 500 ms", -1),
        ("Error code: 9999", -1),
    ],
)
def test_the_code_is_the_providers(message: str, code: int) -> None:
    found = find_error(make_span(1, status="Error", message=message))
    assert found is not None
    assert found.code == code


def test_an_http_status_is_the_code() -> None:
    said = {"http.response.status_code": "503"}
    assert find_error(make_span(1, None, said, status="Error")) == StepError(503, "")
