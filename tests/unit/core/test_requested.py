"""A request has the fields of a record that declare ``Requested``, with their bounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spanloom.core.records.declared import Example, Requested
from spanloom.core.records.record import Record
from spanloom.core.records.requested import as_requested, requested_names, with_requested


class Noted(Record):
    """A record with fields that a client sets, and one that it does not set."""

    at: Annotated[str, Example("now")]
    note: Annotated[str, Field(description="A note."), Requested(max_length=3, examples=["a"])]
    of: Annotated[
        str | None, Field(description="Of what."), Requested(Literal["runs"], description="Whose.")
    ] = None
    tags: Annotated[list[str], Requested(default=[])]


class Tag(BaseModel):
    """The type of a field that the module of the record does not know."""

    name: str


@with_requested(Noted, of=Tag)
class NoteRequest(BaseModel):
    """A change of a note."""

    model_config = ConfigDict(extra="forbid")

    is_pinned: bool = False


@as_requested
class Definition(Noted):
    """A whole note."""


def read(model: type[BaseModel], **members: Any) -> dict[str, Any]:
    return model.model_validate(members).model_dump()


def test_a_request_has_the_fields_that_a_client_sets_before_its_own() -> None:
    assert requested_names(Noted) == ("note", "of", "tags")
    assert [*NoteRequest.model_fields] == ["note", "of", "tags", "is_pinned"]
    assert (NoteRequest.__name__, NoteRequest.__doc__) == ("NoteRequest", "A change of a note.")
    assert NoteRequest.__module__ == __name__
    with pytest.raises(ValidationError):
        read(NoteRequest, at="now")


def test_null_is_allowed_where_it_is_the_default() -> None:
    unset: dict[str, object] = {"note": None, "of": None, "tags": [], "is_pinned": False}
    assert read(NoteRequest) == unset
    assert read(NoteRequest, note=None, of=None) == unset
    with pytest.raises(ValidationError):
        read(NoteRequest, tags=None)


def test_bounds_and_types_are_those_of_the_declaration() -> None:
    assert read(NoteRequest, note="abc", of={"name": "x"})["of"] == {"name": "x"}
    assert read(Definition, at="now", of="runs")["of"] == "runs"
    for wrong in ({"note": "abcd"}, {"of": "steps"}, {"tags": None}):
        with pytest.raises(ValidationError):
            read(Definition, at="now", **wrong)
        with pytest.raises(ValidationError):
            read(NoteRequest, **wrong)
    assert read(Noted, at="now", note="abcd", of="steps", tags=[])["note"] == "abcd"


def test_texts_of_the_documentation_are_those_of_the_answer_unless_they_differ() -> None:
    fields = Definition.model_fields
    assert [fields[name].description for name in ("note", "of")] == ["A note.", "Whose."]
    assert (fields["note"].examples, fields["of"].examples) == (["a"], None)
    assert [*fields] == [*Noted.model_fields]
