"""The tools that models of a run were offered: definitions as telemetry has them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.messages.steps import TOOL_DEFINITIONS
from spanloom.core.values.attributes import json_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.core.document import DocumentStep

MAX_DEFINITIONS = 1 << 18
"""Characters of a text of definitions; a longer one has none."""
_PARAMETERS = "invocation_parameters"
_SCHEMAS = ("parameters", "input_schema", "inputSchema")


class Offered(NamedTuple):
    """A tool that a model was offered."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    """The JSON Schema of its arguments; ``None`` if there is none."""


def offered_in(steps: Iterable[DocumentStep]) -> Mapping[str, Offered]:
    """Return the tools of steps by name; of several the first with a schema, else the first."""
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
    """Return the tools in a text of definitions, or of parameters with ``tools``.

    Every call of a run repeats the same text.
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
