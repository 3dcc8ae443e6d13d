"""The OpenAPI description is complete, and agrees with what the API does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.support.listed_runs import of_trace
from tests.support.otlp_requests import wire_span
from tests.unit.api.conftest import ShelfStore, summary

from spanloom.api.runs.examples import SPANS
from spanloom.api.runs.places import EXAMPLE_SPAN
from spanloom.core.formats.schema import canonical_example, canonical_schema
from spanloom.core.model.access import ALL_PROJECTS
from spanloom.core.model.annotation import ANNOTATOR_HEADER as ANNOTATOR
from spanloom.core.model.saved_view import SavedView
from spanloom.core.model.span import TraceKey
from spanloom.core.records.saved_view import EXAMPLE_VIEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient
    from tests.support.access import Locks

REPLAY = "00064119b2c8d000"
IMPORT = "POST /v1/imports"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
Spec = dict[str, Any]


@pytest.fixture
def store(store: ShelfStore) -> ShelfStore:
    """Put into the store what the examples of parameters refer to."""
    key = TraceKey("default", TRACE)
    newest = max(store.summaries, key=lambda line: line.cursor).key
    example = json.dumps(canonical_example(), separators=(",", ":")).encode()
    store.stored_documents = dict.fromkeys((key, newest), example)
    shown = SPANS["content"]["application/json"]["example"]["spans"]
    store.stored_spans = {key: json.dumps(shown).encode()}
    store.sent = {key: [wire_span(TRACE, int(EXAMPLE_SPAN, 16))]}
    return store


@pytest.fixture
def spec(client: TestClient) -> Spec:
    described: Spec = client.get("/openapi.json").json()
    return described


def operations(spec: Spec) -> Iterator[tuple[str, Spec]]:
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def contents(spec: Spec) -> Iterator[tuple[str, str, str, Spec]]:
    for name, operation in operations(spec):
        for status, response in operation["responses"].items():
            bodies = {} if status == "304" else response["content"]  # only 304 has no content
            for media, content in bodies.items():
                yield name, status, media, content


def test_every_path_is_described(spec: Spec) -> None:
    assert [name for name, _ in operations(spec)] == [
        "GET /v1/trajectories/changes",
        "GET /v1/trajectories",
        "POST /v1/trajectories/search",
        "GET /v1/trajectories/latest",
        "GET /v1/trajectories/{trace_id}",
        "GET /v1/trajectories/{trace_id}/spans",
        "GET /v1/trajectories/{trace_id}/outline",
        "GET /v1/trajectories/{trace_id}/rows",
        "GET /v1/trajectories/{trace_id}/search",
        "GET /v1/trajectories/{trace_id}/graph",
        "GET /v1/trajectories/{trace_id}/export.html",
        "GET /v1/trajectories/{trace_id}/versions",
        "GET /v1/trajectories/{trace_id}/steps/{step_id}",
        "GET /v1/trajectories/{trace_id}/spans/{span_id}",
        "GET /v1/trajectories/{trace_id}/otlp",
        "GET /v1/conversations/{conversation_id}/export.html",
        "GET /v1/trajectories/{trace_id}/diff/{other_trace_id}",
        "GET /v1/conversations",
        "GET /v1/conversations/{conversation_id}",
        "GET /v1/stats",
        "GET /v1/where",
        "GET /v1/fields",
        "GET /v1/fields/{name}/values",
        "GET /v1/facets",
        "POST /v1/compare",
        "GET /v1/steps",
        "GET /v1/search",
        "POST /v1/imports",
        "GET /v1/trajectories/{trace_id}/annotations",
        "POST /v1/trajectories/{trace_id}/annotations",
        "POST /v1/trajectories/{trace_id}/annotations/bulk",
        "POST /v1/trajectories/{trace_id}/annotations/undo",
        "GET /v1/trajectories/{trace_id}/versions/{version}",
        "PUT /v1/trajectories/{trace_id}/versions/{version}",
        "GET /v1/schemes",
        "PUT /v1/schemes/{name}",
        "POST /v1/schemes/check",
        "GET /v1/annotations",
        "GET /v1/annotations/corrections",
        "POST /v1/annotations/import",
        "GET /v1/annotations/potato",
        "POST /v1/annotations/potato",
        "GET /v1/agreement",
        "GET /v1/agreement/units",
        "GET /v1/queues",
        "PUT /v1/queues/{name}",
        "GET /v1/queues/{name}",
        "GET /v1/queues/{name}/items",
        "POST /v1/queues/{name}/next",
        "GET /v1/queues/{name}/items/{trace_id}",
        "POST /v1/queues/{name}/items/{trace_id}/begin",
        "POST /v1/queues/{name}/items/{trace_id}/done",
        "POST /v1/queues/{name}/items/{trace_id}/reopen",
        "POST /v1/queues/{name}/items/{trace_id}/adjudicate",
        "GET /v1/scores",
        "POST /v1/scores",
        "GET /v1/datasets",
        "GET /v1/datasets/{name}",
        "PUT /v1/datasets/{name}",
        "DELETE /v1/datasets/{name}",
        "POST /v1/datasets/{name}/items",
        "GET /v1/datasets/{name}/items",
        "DELETE /v1/datasets/{name}/items/{item_key}",
        "POST /v1/datasets/{name}/commit",
        "GET /v1/evaluators",
        "GET /v1/evaluators/{name}",
        "PUT /v1/evaluators/{name}",
        "GET /v1/experiments",
        "GET /v1/experiments/{name}",
        "PUT /v1/experiments/{name}",
        "DELETE /v1/experiments/{name}",
        "GET /v1/experiments/{name}/results",
        "GET /v1/experiments/{a}/compare/{b}",
        "GET /v1/online-rules",
        "GET /v1/online-rules/{name}",
        "PUT /v1/online-rules/{name}",
        "DELETE /v1/online-rules/{name}",
        "GET /v1/alerts",
        "POST /v1/alerts/test",
        "GET /v1/alerts/{name}",
        "PUT /v1/alerts/{name}",
        "DELETE /v1/alerts/{name}",
        "GET /v1/alerts/{name}/events",
        "GET /v1/views",
        "POST /v1/views",
        "PUT /v1/views/{view_id}",
        "DELETE /v1/views/{view_id}",
        "PUT /v1/views/{view_id}/default",
        "GET /v1/projects",
        "POST /v1/replays",
        "GET /v1/replays",
        "GET /v1/replays/{replay_id}",
        "GET /v1/keys",
        "POST /v1/keys",
        "DELETE /v1/keys/{key_id}",
        "POST /v1/deletions",
        "GET /v1/deletions",
        "POST /v1/snapshots",
        "GET /livez",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
        "GET /v1/service",
        "GET /v1/doctor",
    ]


def test_every_operation_says_what_it_does(spec: Spec) -> None:
    ids = [operation["operationId"] for _, operation in operations(spec)]
    assert len(set(ids)) == len(ids)
    tags = {tag["name"] for tag in spec["tags"] if tag["description"]}
    for name, operation in operations(spec):
        assert operation["summary"], name
        assert operation["description"], name
        assert set(operation["tags"]) <= tags, name


def test_every_parameter_is_explained_with_an_example(spec: Spec) -> None:
    named = set()
    for name, operation in operations(spec):
        for parameter in operation.get("parameters", []):
            named.add(parameter["name"])
            where = f"{name} {parameter['name']}"
            assert parameter["description"], where
            examples = parameter.get("examples") or parameter["schema"].get("examples")
            assert examples, where
    assert named == {
        *("trace_id", "project", "format", "from", "to", "status", "a", "b", "score"),
        *(
            "root_name",
            "has_error",
            "outcome",
            "duplicate",
            "has_steps",
            "limit",
            "cursor",
            *("conversation", "conversation_id", "since", "until", "line"),
            *("model", "service", "environment", "release", "user", "tag"),
            *("after", "annotations", "wait", "fields", "last-event-id"),
            *("where", "run_where", "order", "of", "metrics", "by", "interval", "timezone"),
            *("top", "name"),
            "profile",
        ),
        *("other_trace_id", "other_project", "other_version", "every", "whole_texts"),
        *("q", "in", "with"),
        *("texts", "step_id", "span_id", "accept", "if-none-match", "as_new"),
        *("measure", "first", "second", "first_says", "second_says", "agent", "step_type"),
        *(
            "annotator",
            "author",
            "experiment",
            "item",
            "orphan",
            "queue",
            "scheme",
            "source",
            "target",
            "version",
            "with_changed",
        ),
        "x-spanloom-annotator",
        *("dialect", "outdated", "replay_id", "key_id", "before", "dry_run"),
        *("page", "revision", "view_id", "item_key", "state", "current"),
    }


def test_every_answer_has_a_schema_and_an_example_that_fits(spec: Spec) -> None:
    for name, status, media, content in contents(spec):
        where = f"{name} {status} {media}"
        assert content["schema"], where
        assert content["example"], where
        whole = {**content["schema"], "components": spec["components"]}
        jsonschema.validate(content["example"], whole, jsonschema.Draft202012Validator)


def test_every_error_is_a_problem(spec: Spec) -> None:
    for name, status, media, content in contents(spec):
        if status not in ("200", "202"):
            assert media == "application/problem+json", f"{name} {status}"
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
    for name, operation in operations(spec):
        assert {"421", "500"} <= set(operation["responses"]), name


def test_who_names_a_version_is_told_that_it_may_have_gone(spec: Spec) -> None:
    for path, operations in spec["paths"].items():
        for operation in operations.values():
            if any("409" in p.get("description", "") for p in operation.get("parameters", [])):
                assert "409" in operation["responses"], path


def test_every_reference_leads_somewhere(spec: Spec) -> None:
    schemas = spec["components"]["schemas"]
    text = json.dumps(spec)
    assert "#/definitions/" not in text
    assert "HTTPValidationError" not in schemas
    for part in text.split('"$ref": "#/components/schemas/')[1:]:
        assert part.partition('"')[0] in schemas


def test_the_trajectory_schema_is_the_published_one(spec: Spec) -> None:
    schemas = spec["components"]["schemas"]
    assert set(canonical_schema()["definitions"]) <= set(schemas)
    whole = {"$ref": "#/components/schemas/Trajectory", "components": spec["components"]}
    jsonschema.validate(canonical_example(), whole, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("path", "schema"),
    [("/v1/trajectories", "TrajectoryList"), ("/healthz", "Health"), ("/nowhere", "Problem")],
)
def test_real_answers_fit_the_description(
    client: TestClient, spec: Spec, path: str, schema: str
) -> None:
    whole = {"$ref": f"#/components/schemas/{schema}", "components": spec["components"]}
    jsonschema.validate(client.get(path).json(), whole, jsonschema.Draft202012Validator)


def test_the_examples_of_parameters_are_accepted(
    client: TestClient, spec: Spec, locks: Locks, store: ShelfStore
) -> None:
    store.summaries[0] = summary(0, conversation_id="c")
    store.summaries.append(of_trace(summary(0), TraceKey("default", TRACE)))
    headers = {"Authorization": f"Bearer {locks.make(ALL_PROJECTS)}", ANNOTATOR: "ada"}
    store.saved_views.add(SavedView("default", EXAMPLE_VIEW, "runs", **_like(spec, "ViewRequest")))
    key_id = locks.make("support").split("_")[1]
    for name, operation in sorted(operations(spec), key=lambda found: _turn(found[0])):
        method, _, path = (
            name.replace("trace_id}", "}")
            .replace("{}", TRACE)
            .replace("{other_}", TRACE)
            .partition(" ")
        )
        asked = {
            parameter["name"]: str(
                (parameter.get("examples") or parameter["schema"]["examples"])[0]
            ).lower()
            if parameter["name"]
            in {
                "has_error",
                "outdated",
                "every",
                "whole_texts",
                "with_changed",
                "dry_run",
                "experiment",
                "item",
                "orphan",
                "as_new",
            }
            else (parameter.get("examples") or parameter["schema"]["examples"])[0]
            for parameter in operation.get("parameters", [])
            if parameter["in"] == "query"
            and parameter["name"] not in OF_ANOTHER_QUESTION.get(name, {"cursor"})
        }
        answer = client.request(
            method,
            path.replace("schemes/{name}", "schemes/step_evaluation")
            .replace("{name}/values", "agent/values")
            .format(
                conversation_id="c",
                replay_id=REPLAY,
                key_id=key_id,
                view_id=EXAMPLE_VIEW,
                step_id=canonical_example()["root_step"]["id"],
                span_id=EXAMPLE_SPAN,
                item_key="first",
                name="week 3",
                a="week 3",
                b="week 3",
                version=1,
            ),
            params=asked,
            headers=headers,
            json=_example_body(spec, operation),
        )
        expected = (501,) if name == IMPORT else (200, 202)  # 501 because there is no collector
        assert answer.status_code in expected, (name, answer.text)


def _turn(name: str) -> int:
    """Return the sort key of an operation: creating comes first, then using, then deleting."""
    if name.startswith("PUT /v1/experiments"):
        return -1
    if name.startswith("POST /v1/datasets"):
        return -2
    made = ("schemes", "queues", "datasets", "evaluators", "online", "alerts")
    if name.startswith(tuple(f"PUT /v1/{of}" for of in made)):
        return -3
    removed = ("views", "experiments", *made)
    if name.startswith(tuple(f"DELETE /v1/{of}" for of in removed)):
        return 1 + ("item_key" not in name)
    return name.endswith("/adjudicate") + 2 * name.endswith("/reopen")


def _like(spec: Spec, schema: str) -> dict[str, Any]:
    """Return ``name`` and ``parameters`` of a view, with their examples from ``schema``."""
    fields = spec["components"]["schemas"][schema]["properties"]
    return {name: fields[name]["examples"][0] for name in ("name", "parameters")}


FLAGS = {"has_error", "outdated", "every", "whole_texts", "with_changed", "orphan"}
OF_ANOTHER_QUESTION = {
    "GET /v1/deletions": set[str](),
    "GET /v1/stats": {"of", "run_where"},
    "GET /v1/agreement": set[str](),
    "GET /v1/scores": {"cursor"},
    "GET /v1/facets": {"of"},
}
"""Per operation, the parameters that cannot join the other examples; elsewhere the cursor."""


def _example_body(spec: Spec, operation: Spec) -> dict[str, object] | None:
    """Return a body made of the examples of its fields; ``None`` if there is no JSON body."""
    if "application/json" not in operation.get("requestBody", {}).get("content", {}):
        return None
    content = operation["requestBody"]["content"]["application/json"]
    if "example" in content:
        return dict(content["example"])
    schema = content["schema"]["$ref"]
    described = spec["components"]["schemas"][schema.rpartition("/")[2]]
    if "examples" in described:  # of a body whose fields exclude each other
        example: dict[str, object] = described["examples"][0]
        return example
    fields = described["properties"]
    return {name: field["examples"][0] for name, field in fields.items() if name != "cursor"}
