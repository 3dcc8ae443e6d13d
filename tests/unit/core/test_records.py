"""What a record declares, and that one made without checks is like one that was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError
from tests.support.listed_runs import listed_run

from spanloom.core.model.span import TraceKey
from spanloom.core.records.declared import Example
from spanloom.core.records.run import RUN, Run
from spanloom.core.records.step import STEP, StepRow

if TYPE_CHECKING:
    from spanloom.core.records.record import Declaration


@pytest.mark.parametrize("declaration", [RUN, STEP])
def test_examples_are_records(declaration: Declaration) -> None:
    made = declaration.record.model_validate(declaration.example)
    written = made.model_dump(mode="json")
    assert {name: written[name] for name in declaration.example} == declaration.example


@pytest.mark.parametrize("declaration", [RUN, STEP])
def test_every_field_has_an_example_or_may_be_absent(declaration: Declaration) -> None:
    assert [f.name for f in declaration.fields if not f.find(Example) and not f.is_optional] == []


def test_names_of_columns_and_of_questions_are_declared_once() -> None:
    for declaration in (RUN, STEP):
        columns = [stored.column for stored in declaration.stored]
        asked = [one.name for one in declaration.asked]
        assert len(columns) == len(set(columns))
        assert len(asked) == len(set(asked))


def test_fields_are_offered_in_an_order_that_names_each_once() -> None:
    assert [one.name for one in RUN.asked][:5] == [
        "project",
        "trace_id",
        "status",
        "outcome",
        "start",
    ]
    assert [one.name for one in RUN.asked][-1] == "has_steps"
    assert [one.name for one in STEP.asked][:2] == ["type", "name"]


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
