"""Every SQL file is used, every query used has its file, and migrations follow their rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spanloom.storage
from spanloom.storage.engine import statements
from spanloom.storage.engine.statements import (
    migrations,
    query,
    query_files,
    request_schema,
)

STORAGE = Path(spanloom.storage.__file__).parent
QUERIES = set(query_files())
CODE = "\n".join(path.read_text() for path in STORAGE.rglob("*.py"))
USE = re.compile(r'(?:rows|blob|query|_current_rows)\(\s*"(\w+)"')
PARAMETER = re.compile(r"\{(\w+):[^}]+\}")
CONDITION = re.compile(
    r"\{(reach|filter|turns|columns|rank|order|later|alive|shown|grouped|steps|text|items|unless"
    r"|place|most|shared)\}"
)


def test_every_query_file_is_used() -> None:
    assert {name for name in QUERIES if f'"{name}"' not in CODE} == set()


def test_a_query_has_a_name_of_its_own() -> None:
    names = [p.stem for p in STORAGE.rglob("*.sql") if STORAGE / "schema" not in p.parents]
    assert sorted(names) == sorted(QUERIES)


def test_every_query_used_has_its_file() -> None:
    assert set(USE.findall(CODE)) - QUERIES == set()


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_query_is_one_statement_without_placeholders_of_python(name: str) -> None:
    text = query(name)
    assert ";" not in re.sub(r"--.*", "", text)
    assert "%s" not in text
    assert "{" not in CONDITION.sub("", PARAMETER.sub("", text))


_MADE = re.compile(r"^CREATE (?:TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS (\w+)", re.MULTILINE)


def test_migrations_are_numbered_without_gaps_from_the_baseline_on() -> None:
    assert migrations()[0].name == "0001_baseline"
    numbers = [migration.number for migration in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


MOVED = "RowVersion = Seq"
"""The condition for rows of the first release that no statement has moved yet."""
SAYS_WHY = "-- Repeated, "
"""The beginning of the comment that explains why an inserting statement can be repeated."""
REPEATABLE = ("IF NOT EXISTS", "IF EXISTS", "OR REPLACE", "MODIFY", MOVED, SAYS_WHY)


def test_every_statement_of_a_migration_can_be_repeated() -> None:
    for migration in migrations():
        assert migration.text.startswith("-- ")
        for statement in (*migration.statements, *migration.finish_statements):
            assert any(mark in statement for mark in REPEATABLE), statement


def test_what_a_migration_ends_is_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "0005_x"
    (folder / "finish").mkdir(parents=True)
    for name, text in (("01_a", "a;"), ("02_b", "b;"), ("finish/01_c", "c;\nd;")):
        (folder / f"{name}.sql").write_text(f"{text}\n")
    migration = statements._migration_of(5, folder)
    assert (migration.number, migration.name) == (5, "0005_x")
    assert [s.strip() for s in migration.statements] == ["a", "b"]
    assert [s.strip() for s in migration.finish_statements] == ["c", "d"]


def test_the_baseline_declares_each_table_once_and_changes_none() -> None:
    made = [_MADE.search(statement) for statement in migrations()[0].statements]
    names = [found[1] for found in made if found]
    assert len(names) == len(made) == len(set(names))


def test_the_embedded_engine_reads_the_schema_where_it_lies() -> None:
    path, message = request_schema(embedded=True)["format_schema"].rsplit(":", 1)
    assert Path(path).read_text() == request_schema(embedded=False)["format_schema"]
    assert f"message {message} " in Path(path).read_text()
