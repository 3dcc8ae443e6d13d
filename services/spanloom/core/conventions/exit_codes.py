"""Failures of commands that a result or a span reports only as an exit code.

A coding agent counts its shell tool as successful even if the command failed: the exit code is in
the text of the result, in its JSON, or in an attribute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.failed_results import REPORTED_BY_RESULT
from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from spanloom.core.values.attributes import Json

_TEXTS = (
    re.compile(r"\A(?:[^\n]*\n){0,4}?Process exited with code (-?\d{1,10})$", re.MULTILINE),
    re.compile(r"\A(?:Command|Output): .*^Exit Code: (-?\d{1,10})$", re.MULTILINE | re.DOTALL),
    re.compile(r"\AExit code (\d{1,10})$", re.MULTILINE),
    re.compile(r"<shellId: \S+ completed with exit code (-?\d{1,10})>\s*\Z"),
)
"""Patterns of an exit code in results of Codex, Qwen Code and Gemini CLI, Claude Code, and
Copilot."""
_KEYS = ("exit", "exitCode", "exit_code")
_INSIDE = ("metadata", "result", "output")
_NOT_OUTPUT = re.compile(r"^(?:Chunk ID|Wall time|Original token count|Process|Exit|<[^>]*>$)")
_LABEL = re.compile(r"^(?:Output|Error|Stdout|Stderr|Command|Directory|Signal): ?")
MAX_CHARS = 200
"""Maximum length of the command's own output in an error message."""


def find_exit(code: str, words: str = "") -> StepError | None:
    """Return the failure of a command with this exit code; ``None`` for 0 or if it is no number.

    ``words`` is the command's output, whose last line becomes a part of the message.
    """
    if not code.lstrip("-").isdecimal() or not int(code):
        return None
    output = _last_words(words)
    message = f"exit code {code}: {output}" if output else f"exit code {code}"
    return StepError(NO_CODE, message, "", "", REPORTED_BY_RESULT)


def find_exit_in(result: str) -> StepError | None:
    """Return the failure that the exit code in a tool's result reports, or ``None``."""
    if result.startswith("{"):
        fields = json_object(result)
        code = _code_in(fields)
        words = fields.get("output")
        return find_exit(code, words if isinstance(words, str) else "")
    found = next((match for text in _TEXTS if (match := text.search(result))), None)
    return None if found is None else find_exit(found[1], result)


def _code_in(fields: dict[str, Json]) -> str:
    inside = [inner for key in _INSIDE if isinstance(inner := fields.get(key), dict)]
    for each in (fields, *inside):
        for key in _KEYS:
            if isinstance(code := each.get(key), int) and not isinstance(code, bool):
                return str(code)
    return ""


def _last_words(text: str) -> str:
    """Return the last line of output that the command itself wrote."""
    lines = [line.strip() for line in text.splitlines()]
    own = [_LABEL.sub("", line) for line in lines if not _NOT_OUTPUT.match(line)]
    output = [line for line in own if line not in ("", "(none)", "(empty)", "0")]
    return output[-1][:MAX_CHARS] if output else ""
