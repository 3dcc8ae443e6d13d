"""The typed view of a document, and that no other module names the members of documents."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

import spanloom
from spanloom.core.document import AGENT, Document, HeldDocument
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.step import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.document import DocumentStep

PACKAGE = Path(spanloom.__file__).parent
MEMBERS = {
    *("root_step", "agent_steps", "extraction"),
    *("basic_info", "model_info", "metrics_info"),
}
"""A module that names one of these takes a document apart."""
ALLOWED = {
    "core/document/document.py": "the view",
    "core/document/steps.py": "the view",
    "core/formats/canonical.py": "writes the document",
    "core/exchange/coze/builder.py": "writes the document of Coze Loop's builder",
    "core/exchange/coze/figures.py": "measures its steps",
    "core/exchange/coze/example.py": "writes the document of Coze Loop's example",
    "core/exchange/coze/members.py": "reads the members of both",
    "core/exchange/coze/reading.py": "brings both into the canonical shape",
    "core/exchange/coze/steps.py": "finds the steps of both",
    "core/exchange/coze/totals.py": "names the places of totals in both",
    "core/exchange/chat.py": "tells its rows from documents",
    "core/exchange/langsmith.py": "tells its examples from documents",
    "core/exchange/kept.py": "names the members that a format may lose",
    "core/formats/schema.py": "the schema of that document",
    "core/records/run.py": "a field of `where` has the same name",
    "core/query/shapes.py": "names that field",
    "evaluation/comparison/shaping.py": "names that field",
    "testing/goldens.py": "writes what a golden keeps of a document",
    "api/runs/examples.py": "an example of that field",
}


def test_only_the_view_and_the_writers_name_the_members_of_a_document() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    others = sources.keys() - ALLOWED.keys()
    assert {name: found for name in others if (found := _named(sources[name]))} == {}


def test_a_reader_that_takes_a_document_apart_is_found(tmp_path: Path) -> None:
    reader = tmp_path / "reader.py"
    reader.write_text('"""Of ``agent_steps``."""\nfor a in d["agent_steps"]:\n    a.get("steps")\n')
    assert _named(reader) == {"agent_steps"}


def _named(source: Path) -> set[str]:
    """Return the members of documents that a source file contains as strings of their own."""
    text = source.read_text("utf-8")
    if not any(member in text for member in MEMBERS):
        return set()
    tree = ast.parse(text)
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {member for member in MEMBERS if member in strings}


def test_every_step_has_its_owner_parent_type_and_times() -> None:
    view = Document(canonical_example())
    assert [step.agent_id for step in view.steps] == [
        agent.id for agent in view.agents for _ in agent.steps
    ]
    for step in view.steps:
        assert step.owner is not None
        assert step.agent_name == step.owner.name
        assert step.times[1] == step.started_at + step.duration > 0
        assert bool(step.model_info) == (step.type == "model")
        assert bool(step.error) == bool(step.error_message)
    assert view.root.type == view.extraction.root_type
    assert {agent.type for agent in view.agents} == {AGENT}
    assert view.root.agent_id == view.root.parent_id == ""


def test_what_is_an_agent_and_a_step_is_found_as_an_agent() -> None:
    view = Document(
        {
            "root_step": {"id": "1"},
            "agent_steps": [
                {"id": "1", "steps": [{"id": "2", "type": "agent", "parent_id": "1"}]},
                {"id": "2", "parent_id": "1", "name": "critic", "steps": [{"id": "3"}]},
            ],
        }
    )
    found = view.by_id()
    assert list(found) == ["1", "2", "3"]
    assert (found["2"].name, found["2"].agent_name, found["2"].owner) == ("critic", "critic", None)
    assert found["3"].agent_id == "2"


def test_fewer_steps_leave_the_rest_of_the_document_as_it_is() -> None:
    before = orjson.dumps(canonical_example())
    view = Document(canonical_example())
    agent = next(view.agents)
    first = next(agent.steps)
    left = Document(view.with_steps({agent.id, first.id}))
    assert [step.id for step in left.steps] == [first.id]
    assert left.extraction.json == view.extraction.json
    assert orjson.dumps(canonical_example()) == before


@pytest.mark.parametrize(
    "foreign",
    [
        {},
        {"root_step": None, "agent_steps": None, "extraction": None},
        {"agent_steps": [{}, {"steps": [{}]}]},
        {"root_step": {"basic_info": {"started_at": "soon", "duration": None, "error": {}}}},
    ],
)
def test_what_a_foreign_document_lacks_reads_as_empty(foreign: dict[str, object]) -> None:
    view = Document(foreign)
    for step in (view.root, *_all_of(view)):
        assert (step.id, step.name, step.input, step.output, step.model) == ("",) * 5
        assert (step.started_at, step.duration, step.error, step.error_message) == (0, 0, None, "")
        assert (step.error_code, step.metrics.json) == (NO_CODE, {})
        assert (step.metadata, step.tokens, step.agent_id) == ({}, {}, "")
    assert (view.id, view.root_type, view.extraction.json) == ("", "", {})


def _all_of(view: Document) -> Iterator[DocumentStep]:
    yield from view.agents
    yield from view.steps


def test_a_held_document_shows_the_same_and_views_each_step_once() -> None:
    document = canonical_example()
    plain, held = Document(document), HeldDocument(document)
    assert [step.json for step in held.steps] == [step.json for step in plain.steps]
    assert [step.agent_id for step in held.steps] == [step.agent_id for step in plain.steps]
    of_agents = [step for agent in held.agents for step in agent.steps]
    assert all(one is other for one, other in zip(held.steps, of_agents, strict=True))
    assert held.root is held.root
    assert held.root.json == plain.root.json
    assert held.by_id().keys() == plain.by_id().keys()
