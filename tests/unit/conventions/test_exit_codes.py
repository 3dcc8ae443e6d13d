"""Exit codes in the output of coding agents' shell tools."""

from __future__ import annotations

import pytest

from spanloom.core.conventions.exit_codes import find_exit, find_exit_in

CODEX = "Chunk ID: 70\nWall time: 0.0 seconds\nProcess exited with code {}\nOutput:\nno file\n"
QWEN = "Command: cat x\nDirectory: (root)\nOutput: no file\nError: (none)\nExit Code: {}\nSignal: 0"
COPILOT = "no file\n<shellId: 0 completed with exit code {}>"
OPENCODE = '{{"output":"no file","metadata":{{"exit":{}}}}}'
CLAUDE = "Exit code {}\nno file"


@pytest.mark.parametrize("form", [CODEX, QWEN, COPILOT, OPENCODE, CLAUDE])
def test_a_code_that_is_not_zero_is_a_failure_with_the_last_words(form: str) -> None:
    error = find_exit_in(form.format(1))
    assert error is not None
    assert (error.message, error.reported_by) == ("exit code 1: no file", "result")
    assert find_exit_in(form.format(0)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The log says:\nProcess exited with code 1",
        "notes\nExit Code: 1",
        'Output:\nx\n{"exit": 1}',
        '{"exit": true}',
        '{"steps": {"exit": 1}}',
        "Exit code one",
    ],
)
def test_a_code_that_somebody_writes_about_is_none(text: str) -> None:
    long_ago = "\n".join(["line"] * 9) + "\nProcess exited with code 1"
    assert find_exit_in(text if "log" not in text else long_ago) is None


@pytest.mark.parametrize(("code", "message"), [("1", "exit code 1"), ("-9", "exit code -9")])
def test_a_code_alone(code: str, message: str) -> None:
    error = find_exit(code)
    assert error is not None
    assert error.message == message


@pytest.mark.parametrize("code", ["", "0", "x", "1.5"])
def test_no_code(code: str) -> None:
    assert find_exit(code) is None
