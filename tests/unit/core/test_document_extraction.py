"""The typed view of a document's ``extraction``, and of the failures in it."""

from __future__ import annotations

import pytest

from spanloom.core.document import Document, DocumentExtraction, DocumentFailure
from spanloom.core.formats.schema import canonical_example, canonical_schema
from spanloom.core.model.step import NO_CODE
from spanloom.core.model.trajectory import Status

MISSING: dict[str, object] = {
    **dict.fromkeys(("version", "failures", "span_count"), 0),
    **dict.fromkeys(("status_text", "extractor_version", "project", "conversation_id"), ""),
    **dict.fromkeys(("user_id", "root_type", "outcome", "resumes", "resumed_by"), ""),
    **dict.fromkeys(("cost_usd", "known_cost_usd", "llm_wall_ms", "time_to_first_token_ms")),
    **{name: [] for name in ("tags", "errors", "pauses", "dialects", "warnings")},
    **{name: {} for name in ("metadata", "step_counts")},
    "duplicate_of": None,
    "status": Status.SETTLED,
}
"""The value of each property if the member is missing."""


@pytest.mark.parametrize("json", [{}, dict.fromkeys(MISSING), {"cost": None}, {"cost": {}}])
def test_a_missing_member_has_the_value_that_its_property_names(json: dict[str, None]) -> None:
    bare = DocumentExtraction(json)
    assert {name: _plain(getattr(bare, name)) for name in _properties()} == MISSING
    assert bare.members(("project", "tags")) == {}


def _properties() -> list[str]:
    return [name for name, of in vars(DocumentExtraction).items() if isinstance(of, property)]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_properties_have_the_names_of_members() -> None:
    parts = {"status_text", "cost_usd", "known_cost_usd"}
    beyond_the_schema = {"user_id", "tags", "metadata", "llm_wall_ms", "time_to_first_token_ms"}
    declared = canonical_schema()["definitions"]["Extraction"]["properties"].keys()
    assert {*_properties()} - parts - beyond_the_schema <= declared


def test_the_members_of_an_extraction_are_read_and_not_copied() -> None:
    json = canonical_example()["extraction"]
    view = Document(canonical_example()).extraction
    assert (view.version, view.status) == (json["version"], json["status"])
    assert view.json is json
    assert view.step_counts is json["step_counts"]
    assert view.members(("version", "nothing", "project")) == {
        "version": json["version"],
        "project": json["project"],
    }


def test_a_member_of_a_wrong_type_is_empty_or_returned_for_callers_to_refuse() -> None:
    odd = DocumentExtraction({"version": "7", "failures": [], "cost": 5, "metadata": "x"})
    assert (odd.version, odd.failures, odd.cost_usd, odd.metadata) == (7, 0, None, {})
    odd = DocumentExtraction({"status": "odd", "project": 5, "tags": "x", "errors": [1]})
    assert (odd.status_text, str(odd.project), [*odd.tags]) == ("odd", "5", [])
    with pytest.raises(ValueError, match="odd"):
        _ = odd.status
    with pytest.raises(AttributeError):
        _ = odd.errors[0].code
    with pytest.raises(TypeError):
        _ = DocumentExtraction({"errors": 5}).errors
    with pytest.raises(AttributeError):
        _ = Document({"extraction": "none"}).extraction.project


def test_the_cost_is_known_or_only_a_part_of_it() -> None:
    view = DocumentExtraction({"cost": {"usd": None, "known_usd": 0.5}})
    assert (view.cost_usd, view.known_cost_usd) == (None, 0.5)
    assert DocumentExtraction({"cost": {"usd": 0.0}}).cost_usd == 0.0


def test_a_failure_is_read_and_a_bare_one_is_empty() -> None:
    error = {
        "code": 429,
        "msg": "slow down",
        "type": "RateLimitError",
        "where": "1",
        "step_id": "2",
        "recovered": True,
        "traceback": "File …",
    }
    (failure,) = DocumentExtraction({"errors": [error]}).errors
    assert (failure.code, failure.message, failure.type) == (429, "slow down", "RateLimitError")
    assert (failure.where, failure.step_id, failure.traceback) == ("1", "2", "File …")
    assert failure.is_recovered
    bare = DocumentFailure({})
    assert (bare.code, bare.message, bare.type, bare.traceback) == (NO_CODE, "", "", "")
    assert (bare.where, bare.step_id, bare.is_recovered) == ("", "", False)
