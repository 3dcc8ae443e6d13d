"""Adds the schemas of documents that are returned as stored to FastAPI's OpenAPI description."""

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from spanloom.api.http.problems import Problem
from spanloom.core.formats.schema import canonical_schema, coze_schema, parsed_schema
from spanloom.core.records.span import SpanList
from spanloom.experiments.request import ExperimentRequest

TAGS = [
    {"name": "trajectories", "description": "What agents were asked, did, and cost."},
    {"name": "questions", "description": "Numbers over runs and steps, and the fields of queries."},
    {"name": "annotations", "description": "Annotations by people and models, and agreement."},
    {"name": "datasets", "description": "Items with the values expected of a run, in versions."},
    {"name": "experiments", "description": "Many runs judged by the same evaluators."},
    {
        "name": "alerts",
        "description": "Conditions and metrics that are watched, and notify channels.",
    },
    {"name": "online rules", "description": "Rules that judge arriving runs, and their progress."},
    {"name": "views", "description": "Views of the page that a project shares."},
    {"name": "deletions", "description": "Permanently deleted traces, and who deleted them."},
    {"name": "snapshots", "description": "Snapshots of the store, for `spanloom backup`."},
    {"name": "replays", "description": "History extracted again after a dialect changed."},
    {"name": "keys", "description": "Keys of this service, and their permissions."},
    {"name": "service", "description": "How this process is."},
]
DESCRIPTION = """\
OTLP spans in, agent trajectories out. Documents are Coze Loop's trajectory schema with an
`extraction` object; times are strings of milliseconds. Errors are `application/problem+json`.
"""
_COMPONENTS = "#/components/schemas/"
_WAYS_TO_SEND_A_KEY = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic", "description": "The password is the key."},
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}


def install_openapi(app: FastAPI) -> None:
    """Make ``/openapi.json`` describe every document, even without a pydantic model."""

    def describe() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = _complete(
                get_openapi(
                    title=app.title,
                    version=app.version,
                    summary=app.summary,
                    description=app.description,
                    license_info=app.license_info,
                    tags=TAGS,
                    routes=app.routes,
                )
            )
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]  # as FastAPI's documentation says


def _complete(spec: dict[str, Any]) -> dict[str, Any]:
    schemas = spec.setdefault("components", {}).setdefault("schemas", {})
    for model in (SpanList, Problem, ExperimentRequest):
        described = model.model_json_schema(ref_template=_COMPONENTS + "{model}")
        schemas.update(described.pop("$defs", {}))
        schemas[model.__name__] = described
    for schema in (canonical_schema(), parsed_schema(), coze_schema()):
        schemas.update(_as_components(schema))
    spec["components"]["securitySchemes"] = _WAYS_TO_SEND_A_KEY
    spec["security"] = [{way: []} for way in _WAYS_TO_SEND_A_KEY]
    for operation in (one for path in spec["paths"].values() for one in path.values()):
        if "401" not in operation["responses"]:
            operation["security"] = []
    return spec


def _as_components(document: dict[str, Any]) -> dict[str, Any]:
    """Return OpenAPI components: a JSON schema keyed by its title, its definitions by name."""
    moved = json.dumps(document).replace("#/definitions/", _COMPONENTS)
    schema: dict[str, Any] = json.loads(moved)
    schema.pop("$schema")
    definitions: dict[str, Any] = schema.pop("definitions")
    return {schema["title"]: schema, **definitions}
