"""SQL files and the code that uses them, both ways."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spanloom.storage
from spanloom.storage.engine.statements import (
    query,
    query_files,
    request_schema,
    schema_files,
)

STORAGE = Path(spanloom.storage.__file__).parent
QUERIES = set(query_files())
CODE = "\n".join(path.read_text() for path in STORAGE.rglob("*.py"))
USE = re.compile(r'(?:rows|blob|query|_current_rows)\(\s*"(\w+)"')
PARAMETER = re.compile(r"\{(\w+):[^}]+\}")
CONDITION = re.compile(
    r"\{(reach|filter|turns|columns|rank|order|behind|alive|shown|grouped|steps|text|items|unless)\}"
)


def test_every_query_file_is_used() -> None:
    assert {name for name in QUERIES if f'"{name}"' not in CODE} == set()


def test_a_query_has_a_name_of_its_own() -> None:
    names = [p.stem for p in STORAGE.rglob("*.sql") if p.parent.name != "schema"]
    assert sorted(names) == sorted(QUERIES)


def test_every_query_used_has_its_file() -> None:
    assert set(USE.findall(CODE)) - QUERIES == set()


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_is_one_statement_without_placeholders_of_python(name: str) -> None:
    text = query(name)
    assert ";" not in re.sub(r"--.*", "", text)
    assert "%s" not in text
    assert "{" not in CONDITION.sub("", PARAMETER.sub("", text))


def test_schema_files_are_numbered_without_gaps() -> None:
    assert [file.number for file in schema_files()] == list(range(1, len(schema_files()) + 1))


REPEATABLE = (
    "IF NOT EXISTS",
    "IF EXISTS",
    "OR REPLACE",
    "MODIFY QUERY",
    "MODIFY COLUMN",
    "MODIFY SETTING",
    "MATERIALIZE PROJECTION",
    "INSERT INTO conversation_",
    "INSERT INTO extraction_progress",
    "INSERT INTO trajectory_changes",
)
"""An INSERT of rows that a ReplacingMergeTree has already changes nothing; of the change feed
readers know what they were told."""


def test_every_schema_statement_can_be_repeated() -> None:
    for file in schema_files():
        assert file.text.startswith("-- ")
        for statement in file.statements:
            assert any(mark in statement for mark in REPEATABLE), file.name


def test_the_embedded_engine_reads_the_schema_where_it_lies() -> None:
    path, message = request_schema(embedded=True)["format_schema"].rsplit(":", 1)
    assert Path(path).read_text() == request_schema(embedded=False)["format_schema"]
    assert f"message {message} " in Path(path).read_text()
