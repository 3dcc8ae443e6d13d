"""Declared records: fields, examples and order; an unchecked record is like a checked one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError
from tests.support.listed_runs import listed_run

from spanloom.core.model.access import Reach
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.feed import Announcement
from spanloom.core.records.change import Change
from spanloom.core.records.declared import Moment
from spanloom.core.records.every import RECORDS
from spanloom.core.records.record import bare_type
from spanloom.core.records.run import RUN, Run
from spanloom.core.records.score import ScoreItem
from spanloom.core.records.step import STEP, StepRow
from spanloom.core.records.upkeep import Deletion

if TYPE_CHECKING:
    from spanloom.core.records.declaration import Declaration


@pytest.mark.parametrize("declaration", RECORDS, ids=lambda one: one.record.__name__)
def test_examples_are_records(declaration: Declaration) -> None:
    made = declaration.record.model_validate(declaration.example)
    written = made.model_dump(mode="json")
    assert {name: written[name] for name in declaration.example} == declaration.example


@pytest.mark.parametrize("declaration", RECORDS, ids=lambda one: one.record.__name__)
def test_every_field_has_an_example_or_may_be_absent(declaration: Declaration) -> None:
    without = [f.name for f in declaration.fields if f.name not in declaration.example]
    # A change that announces a version has no ``what``.
    left_out = [f.name for f in declaration.fields if f.is_optional] + ["what"]
    assert [name for name in without if name not in left_out] == []


def test_names_of_columns_and_of_questions_are_declared_once() -> None:
    for declaration in RECORDS:
        columns = [stored.column for stored in declaration.stored]
        queried = [one.name for one in declaration.queried]
        assert len(columns) == len(set(columns))
        assert len(queried) == len(set(queried))


def test_fields_are_offered_in_an_order_that_names_each_once() -> None:
    assert [one.name for one in RUN.queried][:5] == [
        "project",
        "trace_id",
        "status",
        "outcome",
        "start",
    ]
    assert [one.name for one in RUN.queried][-1] == "has_steps"
    assert [one.name for one in STEP.queried][:2] == ["type", "name"]


def test_a_trusted_record_is_like_a_checked_one() -> None:
    checked = listed_run(TraceKey("p", "a" * 32), 5_000_000_000, 1_500_000_000).run
    trusted = Run.trusted({name: getattr(checked, name) for name in Run.model_fields})
    assert trusted == checked
    assert trusted.model_dump_json() == checked.model_dump_json()
    assert trusted.model_copy(update={"resumes": "b"}).resumes == "b"
    with pytest.raises(ValidationError):
        trusted.version = 2  # type: ignore[misc]  # it is frozen


def test_milliseconds_are_texts_on_the_wire_alone() -> None:
    run = listed_run(TraceKey("p", "a" * 32), 5_000_000_000, 1_500_000_000).run
    assert (run.started_at, run.duration) == (5_000, 1_500)
    told = run.model_dump(mode="json")
    assert (told["started_at"], told["duration"]) == ("5000", "1500")
    assert Run.model_validate(told) == run


def test_what_a_newer_service_adds_is_kept() -> None:
    row = StepRow.model_validate({**STEP.example, "mood": "good"})
    assert row.model_extra == {"mood": "good"}
    assert row.model_dump()["mood"] == "good"


def test_a_record_is_made_of_an_object() -> None:
    score = Score(TraceKey("p", "a" * 32), "tone", "llm", "judge", 5_000_999, number=1)
    made = ScoreItem.made_of(score)
    assert (made.project, made.score_id, made.at, made.value) == ("p", score.id, 5_000, 1.0)
    assert ScoreItem.model_validate_json(made.model_dump_json()) == made
    assert ScoreItem.row_of(score, stale=None) == {**vars(made), "at": "5000"}


def test_what_is_not_passed_is_unset() -> None:
    key = TraceKey("p", "a" * 32)
    stored = Announcement(key, 2, Status.SETTLED, 7_000_000, changed_us=9_000)
    change = Change.made_of(stored)
    assert change.model_dump(mode="json", exclude_unset=True) == {
        "project": "p",
        "trace_id": "a" * 32,
        "version": 2,
        "status": "settled",
        "changed_at": "9",
        "start": "7",
    }
    assert (change.what, change.trajectory) == ("version", None)
    judged = stored._replace(is_judgement=True, now=listed_run(key, 8_000_000, version=3))
    assert Change.made_of(judged, what="annotations").version == 3


def test_what_is_passed_comes_last_in_a_row() -> None:
    scope = DeletionScope(Reach.only("q", "p"), start_before_ns=5_000_000)
    deletion = new_deletion(scope, "ada", 7_000_000)
    row = Deletion.row_of(deletion, more=1)
    assert (row["project"], row["before"], row["requested_at"]) == ("p, q", "5", "7")
    assert list(row) == [*Deletion.model_fields, "more"]
    every = new_deletion(DeletionScope(Reach.ALL, trace_id="a"), "ada", 1)
    assert (Deletion.row_of(every)["project"], Deletion.row_of(every)["before"]) == (None, None)


@pytest.mark.parametrize(
    ("kind", "bare"),
    [
        (str | None, (str, True)),
        (Moment | None, (int, True)),
        (list[str], (list[str], False)),
        (float | str | None, (float | str | None, True)),
    ],
)
def test_a_type_without_none(kind: object, bare: object) -> None:
    assert bare_type(kind) == bare
