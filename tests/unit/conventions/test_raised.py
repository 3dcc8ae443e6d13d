"""Type, message and traceback of an exception are separated, however they are run together."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.raised import Raised, read_raised

TRACE = "Traceback (most recent call last):\n  File \"app.py\", line 1, in run\nKeyError: 'city'"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("ValueError", "disk on fire: x=1", ("ValueError", "disk on fire: x=1")),
        ("openai.RateLimitError", "slow down", ("RateLimitError", "slow down")),
        (
            "Exception",
            "ValueError('disk on fire: x=1')" + TRACE,
            ("ValueError", "disk on fire: x=1"),
        ),
        ("Exception", "TimeoutError()" + TRACE, ("TimeoutError", "")),
        ("Exception", "KeyError('city')" + TRACE, ("KeyError", "'city'")),
        ("KeyError", "'city'", ("KeyError", "'city'")),
        ("", "ConnectionError('flaky network')", ("ConnectionError", "flaky network")),
        ("", "ValueError: no such key", ("ValueError", "no such key")),
        ("", "OSError(2, 'No such file')", ("OSError", "2, 'No such file'")),
        ("", "ToolError('it\\'s gone')", ("ToolError", "it's gone")),
        ("Exception", "it broke", ("Exception", "it broke")),
        (
            "",
            "no such city\n\nTypeError: no such city\n    at look (app.js:1:2)",
            ("TypeError", "no such city"),
        ),
        ("", "Abort\n\nError: Abort\n    at run (app.js:1:2)", ("", "Abort")),
        ("", "first\n\nsecond: third", ("", "first\n\nsecond: third")),
        ("", "rate limit: 3 a minute", ("", "rate limit: 3 a minute")),
        ("", "call f(x) failed", ("", "call f(x) failed")),
        (
            "Error",
            "weather(Oslo) is not known (404)",
            ("Error", "weather(Oslo) is not known (404)"),
        ),
        ("", "fetch(https://x) failed (timeout)", ("", "fetch(https://x) failed (timeout)")),
        ("", "Error: 500 no luck", ("Error", "500 no luck")),
        ("", "Error in agent run: {'error': 'Error code: 500'}", ("", "Error code: 500")),
        ("", "Error running tool: {'tool_name': 'x', 'error': 'gone'}", ("", "gone")),
        (
            "",
            "Error running tool: {'tool_name': 'x'",
            ("", "Error running tool: {'tool_name': 'x'"),
        ),
        ("", "Error running tool (non-fatal): {'tool_name': 'x', 'error': 'gone'}", ("", "gone")),
        ("", "{'message': 'Error in run', 'data': {'error': 'it\\'s gone'}}", ("", "it's gone")),
        ("", '{"message":"Error in run","data":{"error":"gone"}}', ("", "gone")),
        ("", "{'message': 'Max turns', 'data': {'max': 2}}", ("", 'Max turns: {"max":2}')),
        ("", "{'message': 'gone', 'data': None}", ("", "gone")),
        ("", "{'message': 'gone', 'why': 1}", ("", "{'message': 'gone', 'why': 1}")),
        ("", "gone\n\nTypeError: gone\n    at f (a.js:1:2)", ("TypeError", "gone")),
        ("", "gone\n\nTypeError: another", ("", "gone\n\nTypeError: another")),
        ("", "", ("", "")),
    ],
)
def test_type_and_message(kind: str, text: str, expected: tuple[str, str]) -> None:
    assert read_raised(kind, text)[:2] == expected


def test_the_traceback_is_kept_apart() -> None:
    assert read_raised("Exception", "KeyError('city')" + TRACE).traceback == TRACE
    assert read_raised("KeyError", "'city'", TRACE) == Raised("KeyError", "'city'", TRACE)
    stack = "TypeError: no\n    at f (a.js:1:2)\n    at g (b.js:3:4)"
    assert read_raised("", stack) == Raised("TypeError", "no", stack)


def test_data_in_the_place_of_a_traceback_has_the_words() -> None:
    data = '{"tool_name": "boom", "error": "fuse blown"}'
    assert read_raised("", "Error running tool", data) == Raised("", "fuse blown")
    assert read_raised("", "Error running tool", '{"turns": 2}') == Raised("", "Error running tool")


def test_long_texts_take_linear_time() -> None:
    for text in ("(" * 400_000, "a." * 200_000, "X(" + "'" * 400_000, "\n" * 400_000):
        assert read_raised("", text).type == ""
