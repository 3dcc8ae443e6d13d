"""``--output`` chooses the form of a command's output; columns can be chosen for rows."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import click
import orjson
import pytest
from tests.unit.terminal.conftest import TRACE

from spanloom.cli import output as output_room
from spanloom.cli.output import Form, give_rows, stream_output
from spanloom.cli.running import spanloom
from spanloom.terminal.numbers_table import render_rows

if TYPE_CHECKING:
    from click.testing import CliRunner, Result

pytestmark = pytest.mark.service

ROWS = [{"id": "9" * 20, "name": "=1+1", "tags": ["a", "b"], "cost": None, "n": 2**63}]


def given(
    runner: CliRunner, *, form: Form, columns: tuple[str, ...] = (), rows: Any = ROWS
) -> Result:
    @click.command()
    def command() -> None:
        give_rows(iter(rows), render_rows, form=form, columns=columns)

    return runner.invoke(command)


def test_the_forms_say_the_same(runner: CliRunner) -> None:
    assert [json.loads(line) for line in given(runner, form=Form.JSONL).stdout.splitlines()] == ROWS
    assert json.loads(given(runner, form=Form.JSON).stdout) == ROWS
    head, row = csv.reader(io.StringIO(given(runner, form=Form.CSV).stdout))
    assert head == list(ROWS[0])
    assert row == ["9" * 20, "'=1+1", '["a","b"]', "", str(2**63)]
    assert "9" * 20 in given(runner, form=Form.TABLE).stdout


@pytest.mark.parametrize("form", list(Form))
def test_columns_are_those_asked_for_in_their_order(runner: CliRunner, form: Form) -> None:
    said = given(runner, form=form, columns=("n", "id")).stdout
    assert said.index(str(2**63 if form is not Form.TABLE else f"{2**63:,}")) < said.index("9" * 20)
    assert "=1+1" not in said


def test_a_column_that_there_is_not_is_named(runner: CliRunner) -> None:
    result = given(runner, form=Form.CSV, columns=("nane",))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no column 'nane'; did you mean name?" in result.stderr


def test_without_rows_csv_has_the_columns_that_were_asked_for(runner: CliRunner) -> None:
    assert given(runner, form=Form.CSV, columns=("a", "b"), rows=()).stdout_bytes == b"a,b\r\n"
    assert given(runner, form=Form.CSV, rows=()).stdout == ""
    assert given(runner, form=Form.JSON, rows=()).stdout == "[]\n"


def test_two_forms_are_one_too_many(runner: CliRunner) -> None:
    result = runner.invoke(spanloom, ["list", "--csv", "--json"])
    assert (result.exit_code, "one form at a time: csv or jsonl" in result.output) == (2, True)
    assert runner.invoke(spanloom, ["list", "--csv", "--output", "csv"]).exit_code == 0


def test_on_a_terminal_it_is_the_table(runner: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Form] = []

    @click.command()
    @stream_output
    def command(form: Form) -> None:
        asked.append(form)

    runner.invoke(command)
    monkeypatch.setattr(output_room, "is_for_people", lambda: True)
    runner.invoke(command)
    assert asked == [Form.JSONL, Form.TABLE]


def test_a_list_as_csv(runner: CliRunner, store: Any) -> None:
    store.listed = 2
    head, *rows = csv.reader(io.StringIO(runner.invoke(spanloom, ["list", "--csv"]).stdout))
    assert {"trace_id", "root_name", "cost"} <= set(head)
    assert [row[head.index("trace_id")] for row in rows] == [TRACE] * 2


def test_an_outline_folds_what_is_equal_and_numbers_the_steps(runner: CliRunner) -> None:
    lines = runner.invoke(spanloom, ["show", TRACE, "--outline"]).stdout.splitlines()
    first = orjson.loads(lines[0])
    assert first == {
        "from": 1,
        "type": "model",
        "name": "ChatOpenAI",
        "agent": "travel_planner",
        "ms": 400,
    }
    table = runner.invoke(spanloom, ["show", TRACE, "--outline", "--output", "table"]).stdout
    assert [line.split()[0] for line in table.splitlines()] == ["1", "2", "3", "4", "5"]
    assert "2  ■ weather  500 ms  travel_planner" in table


def test_one_view_at_a_time(runner: CliRunner) -> None:
    result = runner.invoke(spanloom, ["show", TRACE, "--outline", "--spans"])
    assert (result.exit_code, "one view at a time" in result.output) == (2, True)
