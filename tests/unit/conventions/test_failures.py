"""Errors of spans: what is a failure, what is control flow, and which code a failure has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.spans import make_span, raised

from spanloom.core.conventions import failures
from spanloom.core.dialects.registry import CONTROL_FLOW
from spanloom.core.model.step import StepError

if TYPE_CHECKING:
    from spanloom.core.model.span import Span


def find_error(span: Span) -> StepError | None:
    return failures.find_error(span, CONTROL_FLOW)


def test_a_healthy_span_has_no_error() -> None:
    assert find_error(make_span(1)) is None
    assert find_error(make_span(1, status="Ok", events=[raised("")._replace(name="log")])) is None


def test_a_status_message_is_not_an_error_by_itself() -> None:
    assert find_error(make_span(1, message="all went well")) is None


def test_status_error_is_one_with_and_without_a_message() -> None:
    assert find_error(make_span(1, status="Error", message="boom")) == StepError(-1, "boom")
    assert find_error(make_span(1, status="Error")) == StepError(-1, "")


def test_an_exception_event_is_one_although_the_status_is_ok() -> None:
    span = make_span(1, status="Ok", events=[raised("openai.InternalServerError", "boom")])
    assert find_error(span) == StepError(-1, "boom", "InternalServerError")
    only_typed = find_error(make_span(1, events=[raised("ValueError")]))
    assert only_typed == StepError(-1, "ValueError", "ValueError")


@pytest.mark.parametrize("key", ["error.type", "error.message", "error"])
def test_an_error_attribute_is_one(key: str) -> None:
    error = find_error(make_span(1, attributes={key: "RateLimitError"}))
    assert error is not None
    assert (error.code, error.message) == (-1, "RateLimitError")


def test_the_level_of_an_observation_is_one() -> None:
    said = {"langfuse.observation.level": "ERROR", "langfuse.observation.status_message": "boom"}
    assert find_error(make_span(1, attributes=said)) == StepError(-1, "boom")
    assert (
        find_error(make_span(1, attributes={**said, "langfuse.observation.level": "DEBUG"})) is None
    )


@pytest.mark.parametrize("value", ["", "false", "null"])
def test_an_attribute_that_denies_an_error_is_none(value: str) -> None:
    assert find_error(make_span(1, attributes={"error": value})) is None


@pytest.mark.parametrize("name", sorted({*CONTROL_FLOW.types, "GeneratorExit"}))
@pytest.mark.parametrize("package", ["", "langgraph.errors.", "*compose."])
def test_control_flow_is_no_failure(name: str, package: str) -> None:
    assert find_error(make_span(1, status="Error", events=[raised(package + name, "x")])) is None
    assert find_error(make_span(1, events=[raised(package + name)])) is None
    typed = {"error.type": package + name}
    assert find_error(make_span(1, attributes=typed, status="Error")) is None


@pytest.mark.parametrize(
    "message",
    [
        "ParentCommand(Command(goto='b'))",
        "langgraph.errors.GraphInterrupt((Interrupt(value='ok?'),))",
        "GeneratorExit()",
        "Command(graph='__parent__', update={})",
        'GraphInterrupt: [{"value": "ok?"}]',
        "ParentCommand",
    ],
)
def test_the_repr_of_control_flow_is_no_failure(message: str) -> None:
    assert find_error(make_span(1, status="Error", message=message)) is None
    assert find_error(make_span(1, events=[raised("Exception", message)])) is None


@pytest.mark.parametrize(
    "message",
    [
        "ValueError('GraphInterrupt(')",
        "the tool answered: GeneratorExit()",
        "ParentCommandError(1)",
        "ParentCommand failed",
        "Command('rm') failed",
    ],
)
def test_what_only_mentions_control_flow_is_a_failure(message: str) -> None:
    assert find_error(make_span(1, status="Error", message=message)) is not None


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Error code: 429 - {'error': ...}", 429),
        ("error, status code: 503, message: overloaded", 503),
        ("status_code=500", 500),
        ("status: 404", 404),
        ("500: The server had an error", 500),
        ("HTTP 503 - overloaded", 503),
        ("500 seats are left", -1),
        ("Error: 500 The server had an error", 500),
        ("429 status code (no body)", 429),
        ('BadRequestError: 400 {"type":"error"}', 400),
        ("Error code: 4290", -1),
        ("room 404", -1),
        ("status code: 999", -1),
    ],
)
def test_the_code_is_the_one_the_message_gives(message: str, code: int) -> None:
    error = find_error(make_span(1, status="Error", message=message))
    assert error is not None
    assert error.code == code


@pytest.mark.parametrize("key", ["http.response.status_code", "http.status_code", "error.code"])
def test_an_attribute_tells_the_code_before_the_message(key: str) -> None:
    span = make_span(1, attributes={key: "503"}, status="Error", message="Error code: 429")
    assert find_error(span) == StepError(503, "Error code: 429")


@pytest.mark.parametrize("value", ["", "rate_limit", "-1", "4.5", "9" * 10, "9" * 5000, "²"])
def test_an_attribute_that_is_no_code_is_passed_over(value: str) -> None:
    span = make_span(1, attributes={"error.code": value}, status="Error", message="status: 404")
    assert find_error(span) == StepError(404, "status: 404")


def test_the_exception_says_more_than_the_status() -> None:
    span = make_span(
        1, status="Error", message="failed", events=[raised("A", ""), raised("B", "b")]
    )
    assert find_error(span) == StepError(-1, "b", "B")


@pytest.mark.parametrize("text", ["a" * 200_000, "a." * 100_000, "status " * 30_000, "(" * 200_000])
def test_long_messages_are_read_in_linear_time(text: str) -> None:
    assert find_error(make_span(1, status="Error", message=text)) is not None


def test_a_stream_that_nobody_read_to_its_end_is_no_failure() -> None:
    cancelled = raised("asyncio.exceptions.CancelledError")
    assert find_error(make_span(1, status="Ok", events=[cancelled])) is None
    assert find_error(make_span(1, status="Error", events=[cancelled])) is not None
    assert find_error(make_span(1, status="Ok", events=[cancelled, raised("ValueError")]))


def test_googles_client_puts_the_code_before_its_word() -> None:
    error = find_error(make_span(1, status="Error", message="503 UNAVAILABLE. {'error': {}}"))
    assert error is not None
    assert error.code == 503
