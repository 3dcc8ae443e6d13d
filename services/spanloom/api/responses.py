"""Descriptions of responses for the OpenAPI description, each with an example."""

from collections.abc import Iterable
from typing import Any

import orjson

from spanloom.core.formats.entry import NDJSON, Of, Via
from spanloom.core.formats.registry import formats_of


def answer(description: str, component: str, example: object) -> dict[str, Any]:
    """Describe a response with an example; its schema is a component of the OpenAPI description."""
    return answer_of(description, reference_to(component), example)


def answer_of(
    description: str, schema: dict[str, Any], example: object, media: str = "application/json"
) -> dict[str, Any]:
    """Describe a response with an example, of any schema and media type."""
    return {
        "description": description,
        "content": {media: {"schema": schema, "example": example}},
    }


def reference_to(name: str) -> dict[str, str]:
    """Return a reference to a schema among the components of the OpenAPI description."""
    return {"$ref": f"#/components/schemas/{name}"}


def or_chosen(answer: dict[str, Any]) -> dict[str, Any]:
    """Describe a page whose items may have only the columns that `fields` selects."""
    page = next(iter(answer["content"].values()))
    page["schema"] = {"anyOf": [page["schema"], reference_to("ChosenList")]}
    return answer


def or_rows(answer: dict[str, Any], **members: object) -> dict[str, Any]:
    """Describe a response also available as a table, or as JSON lines that end with ``members``."""
    item = next(iter(answer["content"].values()))["example"]["items"][0]
    end = orjson.dumps({"end": True, "count": 1, **members}).decode()
    lines = f"{orjson.dumps(item).decode()}\n{end}\n"
    answer["content"][NDJSON] = {"schema": {"type": "string"}, "example": lines}
    return or_table(answer, item)


def or_table(answer: dict[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """Describe a response that is also available as a table with these columns."""
    text = {"schema": {"type": "string"}, "example": f"{','.join(columns)}\r\n"}
    binary = {"schema": {"type": "string", "format": "binary"}, "example": "(bytes)"}
    for form in formats_of(Of.ROWS, Via.ACCEPT).values():
        if form.media_type != NDJSON:
            is_text = form.media_type.startswith("text/")
            answer["content"][form.media_type] = text if is_text else binary
    return answer
