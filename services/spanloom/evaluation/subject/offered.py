"""Reads the definitions of tools offered to models, from telemetry."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.document import DocumentStep

MAX_DEFINITIONS = 1 << 18
"""Maximum characters of definitions; longer texts are ignored."""
_PARAMETERS = "invocation_parameters"
_SCHEMAS = ("parameters", "input_schema", "inputSchema")


class Offered(NamedTuple):
    """The definition of a tool offered to a model."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    """The JSON Schema of the tool's arguments, if known."""


def offered_in(steps: Iterable[DocumentStep]) -> Mapping[str, Offered]:
    """Return tools, keyed by name: the first definition that has a schema, or else the first."""
    found: dict[str, Offered] = {}
    for step in steps:
        for tool in _definitions(step):
            known = found.get(tool.name)
            if known is None or (known.schema is None and tool.schema is not None):
                found[tool.name] = tool
    return found


def _definitions(step: DocumentStep) -> Iterator[Offered]:
    metadata = step.metadata
    for key in (TOOL_DEFINITIONS, _PARAMETERS):
        if key in metadata:
            yield from _read(str(metadata[key]))


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[Offered, ...]:
    """Return the tools in a JSON list of definitions, or in parameters with ``tools``.

    Cached, because every call of a run repeats the same text.
    """
    if len(text) > MAX_DEFINITIONS:
        return ()
    value = json_value(text)
    if isinstance(value, dict):
        value = value.get("tools")
    tools = [tool for tool in value if isinstance(tool, dict)] if isinstance(value, list) else []
    return tuple(_parsed(tools))


def _parsed(tools: Iterable[dict[str, Any]]) -> Iterator[Offered]:
    for tool in tools:
        about = tool.get("function") if isinstance(tool.get("function"), dict) else tool
        name = about.get("name") if isinstance(about, dict) else None
        if isinstance(about, dict) and isinstance(name, str):
            schemas = (about.get(key) for key in _SCHEMAS)
            schema = next((one for one in schemas if isinstance(one, dict)), None)
            description = about.get("description")
            yield Offered(name, description if isinstance(description, str) else "", schema)
