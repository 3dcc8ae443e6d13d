"""Tool results that report a failure, and results that only contain the word "error"."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.failed_results import (
    find_failed_result,
    find_flagged_result,
    flags_in,
)


def message(text: str) -> str | None:
    error = find_failed_result(text)
    return None if error is None else error.message


@pytest.mark.parametrize(
    "text",
    [
        '{"content": [{"type": "text", "text": "no such city"}], "isError": true}',
        '{"content": [{"type": "text", "text": "no such city"}], "is_error": true}',
        '{"result": "no such city", "is_error": true}',
        '{"jsonrpc": "2.0", "id": 7, "result": {"content": ["no such city"], "isError": true}}',
        '{"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "no such city"}}',
        '{"type": "tool", "data": {"content": "no such city", "status": "error"}}',
        '{"output": {"lc": 1, "kwargs": {"content": "no such city", "status": "error"}}}',
        '{"output": {"content": "no such city", "status": "error", "type": "tool"}}',
        '{"update": {"messages": [{"content": "no such city", "status": "error"}]}}',
        '{"toolResult": {"status": "error", "content": [{"text": "no such city"}]}}',
        '{"type": "tool_result", "is_error": true, "content": "no such city"}',
        '[{"type": "tool", "content": "no such city", "status": "error"}]',
        '"{\\"content\\": \\"no such city\\", \\"isError\\": true}"',
        "content='no such city' name='weather' tool_call_id='c1' status='error'",
        '{"status": "error", "error_message": "no such city"}',
        '{"status": "error", "error": "no such city", "rows": 3}',
        '{"status": "error", "error": true, "message": "no such city"}',
        '{"status": "error", "result": {"rows": 3}, "message": "no such city"}',
        '{"status": "error", "error": "", "reason": "no such city"}',
        '"{\\"status\\": \\"error\\", \\"message\\": \\"no such city\\"}"',
        "meta=None content=[TextContent(type='text', text='no such city')] isError=True",
        "CallToolResult(content=[TextContent(type='text', text='no such city')], is_error=True)",
    ],
)
def test_a_result_that_is_marked_as_an_error_is_a_failure(text: str) -> None:
    assert message(text) == "no such city"
    error = find_failed_result(text)
    assert error is not None
    assert error.reported_by == "result"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "an error occurred",
        '{"content": [{"type": "text", "text": "a b"}], "isError": false}',
        '{"status": "error", "rows": 3}',
        '{"isError": true}',
        '{"status": "error", "error": {"code": 3}}',
        '{"jobs": [{"status": "error", "content": "x"}], "total": 1}',
        '[{"status": "ok"}, {"status": "error", "message": "disk full"}]',
        '{"data": {"status": "error", "reason": "disk full"}}',
        '{"result": "{\\"status\\": \\"error\\", \\"message\\": \\"disk full\\"}"}',
        '{"raw_output": {"content": "x"}, "raw_input": {"is_error": true}}',
        '{"content": "log: status error", "status": "success"}',
        "content=\"it says status='error' and isError=True\" name='log' status='success'",
        'the log: {"isError": true, "content": "x"}',
        '{"content": "cut off", "isError": tru',
        "error " * 1000,
    ],
)
def test_an_error_in_the_data_of_a_result_is_none(text: str) -> None:
    assert message(text) is None


def test_code_and_type_are_read_from_the_text() -> None:
    failed = find_failed_result('{"content": "Error code: 429 - too many", "isError": true}')
    assert failed is not None
    assert failed.code == 429
    named = find_failed_result('{"content": "ValueError: no such city", "isError": true}')
    assert named is not None
    assert (named.type, named.message) == ("ValueError", "no such city")


def test_a_mark_without_a_text_is_a_failure() -> None:
    for text in ('{"content": [], "isError": true}', '{"status": "error", "message": ""}'):
        assert message(text) == "the result is marked as an error"


@pytest.mark.parametrize(
    ("key", "value", "has_failed"),
    [
        ("lk.function_tool.is_error", "true", True),
        ("lk.function_tool.is_error", "false", False),
        ("app.tool.isError", "true", True),
        ("gen_ai.tool.status", "error", True),
        ("gen_ai.tool.status", "ok", False),
        ("tool.success", "false", True),
        ("tool.success", "true", False),
        ("app.mirror", "true", False),
    ],
)
def test_an_attribute_may_mark_the_result(key: str, value: str, *, has_failed: bool) -> None:
    attributes = {key: value}
    error = find_flagged_result(attributes, flags_in(attributes), "no such city")
    assert (error is not None) == has_failed
    assert error is None or (error.message, error.reported_by) == ("no such city", "result")
