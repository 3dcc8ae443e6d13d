from __future__ import annotations

import pytest

from spanloom.storage.sql import sql_error

NESTED = (
    "Code: 241. DB::Exception: Code: 241. DB::Exception: Query memory limit exceeded: maximum: "
    "95.37 MiB. (MEMORY_LIMIT_EXCEEDED) (version 26.9.2.1). (MEMORY_LIMIT_EXCEEDED)"
)
OF_THE_CHECK = (
    "Code: 62. DB::Exception: Syntax error: failed at position 8 (fro): fro t. Expected FROM: In "
    "scope SELECT parseQueryToJSON('select fro t'). (SYNTAX_ERROR)"
)


@pytest.mark.parametrize(
    ("said", "code", "name", "text"),
    [
        ("Code: 60. DB::Exception: No t. (UNKNOWN_TABLE)", 60, "UNKNOWN_TABLE", "No t."),
        (
            *(NESTED, 241, "MEMORY_LIMIT_EXCEEDED"),
            "Query memory limit exceeded: maximum: 95.37 MiB.",
        ),
        (
            *(OF_THE_CHECK, 62, "SYNTAX_ERROR"),
            "Syntax error: failed at position 8 (fro): fro t. Expected FROM",
        ),
        (
            "Streaming insert finish failed: Code: 444. DB::Exception: No such messages.",
            *(444, "UNKNOWN_EXCEPTION", "No such messages."),
        ),
        ("something else\nand more", 1002, "UNKNOWN_EXCEPTION", "something else"),
    ],
)
def test_the_engines_words(said: str, code: int, name: str, text: str) -> None:
    error = sql_error(RuntimeError(said))
    assert (error.code, error.name) == (code, name)
    assert str(error) == f"Code: {code}. DB::Exception: {text} ({name})"
