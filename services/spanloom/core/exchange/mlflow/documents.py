"""Finds the documents in the output of a retrieval step, in the shapes of known frameworks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spanloom.core.formats.json_bytes import as_text
from spanloom.core.values.attributes import json_object, json_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json

_CONTENT = ("page_content", "pageContent", "content", "text")
_METADATA = ("metadata", "meta_data")
_AROUND = ("documents", "Docs", "docs", "results", "matches", "output")
URI: Final = "doc_uri"
_URIS = (URI, "source", "uri", "url", "file_path", "id")
"""Keys that may contain a document's URI, the most reliable first."""


def documents_in(text: str) -> list[Json]:
    """Return the documents in a retrieval's output, in MLflow's form: content, metadata, id.

    A text in no known shape is one document; an empty text has no documents.
    """
    value = json_value(text)
    if isinstance(value, dict):
        value = next((value[name] for name in _AROUND if isinstance(value.get(name), list)), value)
    items: list[Any] = value if isinstance(value, list) else [text] if text else []
    return [_document(item) for item in items]


def uri_of(document: Json) -> str:
    """Return the URI of a document; empty if it has none."""
    about = document["metadata"]
    found = (about.get(name) for name in _URIS)
    return next((uri for uri in found if isinstance(uri, str) and uri), document.get("id") or "")


def _document(item: object) -> Json:
    if not isinstance(item, dict):
        return {"page_content": as_text(item), "metadata": {}}
    name = next((name for name in _CONTENT if name in item), "")
    metadata = _metadata(item) | _others(item, name)
    document: Json = {"page_content": as_text(item.get(name, "")), "metadata": metadata}
    if isinstance(own := item.get("id"), str) and own:
        document["id"] = own
    if uri := uri_of(document):
        metadata.setdefault(URI, uri)
    return document


def _metadata(item: Json) -> Json:
    """Return a document's metadata, which some frameworks write as JSON text."""
    for value in (item.get(name) for name in _METADATA):
        if isinstance(value, dict):
            return dict(value)
        if isinstance(value, str) and (inner := json_object(value)):
            return dict(inner)
    return {}


def _others(item: Json, content: str) -> Json:
    known: Iterable[str] = {content, "id", *_METADATA}
    return {name: value for name, value in item.items() if name not in known}
