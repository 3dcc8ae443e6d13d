"""A failed tool's output is shown unless it only repeats the failure."""

from __future__ import annotations

import json
import time

import pytest
from tests.support.spans import extract_spans, genai, make_span

from spanloom.core.extraction.texts import adds_to_error
from spanloom.core.model.step import StepError
from spanloom.core.values.bounds import watch_unread

AGENT = genai("invoke_agent")
TOOL = genai("execute_tool", tool__name="weather")
ERROR = StepError(503, "no such city", "ValueError", "Traceback …\nValueError: no such city")


@pytest.mark.parametrize(
    "output",
    [
        *("", "{}", "[]", "null", '""', "true", '{"isError": true, "content": []}'),
        *("no such city", "Error: no such city", "ValueError: no such city", "city", "503"),
        *('{"error": "Error: no such city"}', '{"code": 503, "error": "no such city"}'),
        "Error calling tool 'get_weather': no such city",
        "{'error': 'no such city'}",  # as Python prints it
        '[{"role": "tool", "parts": [{"type": "text", "id": "t7", "response": "no such city"}]}]',
    ],
)
def test_what_only_repeats_the_failure_is_no_output(output: str) -> None:
    assert not adds_to_error(output, ERROR)


@pytest.mark.parametrize(
    "output",
    [
        *("20 rows", "0", "[1]", '{"rows": 20}', '{"rows": [], "error": "timeout"}'),
        '{"error": "no such city", "partial": ["Oslo"]}',
        "An error occurred while running the tool. Please try again.",
        "the cities that there are: Oslo, Bergen, Tromsø, Bodø, Ålesund, Røros; no such city",
        "[" * 100_000,
    ],
)
def test_what_the_failure_does_not_tell_is_kept(output: str) -> None:
    assert adds_to_error(output, ERROR)


def test_a_long_failure_is_not_walked_again_for_every_value() -> None:
    failure = StepError(0, "no", "", "x " * 2_500_000)
    began = time.thread_time()
    assert not adds_to_error(json.dumps(["x x x"] * 20_000), failure)
    assert time.thread_time() - began < 1, "each copy of five megabytes takes its time"


def test_what_is_too_dense_to_be_read_is_kept_as_it_came() -> None:
    with watch_unread() as unread:
        assert adds_to_error("[" + "[]," * 100_000 + "[]]", ERROR)
    assert len(unread) == 1


def test_a_failed_tool_shows_what_it_recorded() -> None:
    for recorded, shown in (({"rows": 20}, '{"rows": 20}'), ({"error": "timeout"}, "")):
        said = {"gen_ai.tool.call.result": json.dumps(recorded)}
        tool = make_span(2, 1, TOOL | said, status="Error", message="timeout")
        [step] = extract_spans(make_span(1, 0, AGENT), tool).agent_steps[0].steps
        assert (step.output, step.error and step.error.message) == (shown, "timeout")
