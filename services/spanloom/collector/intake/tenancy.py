"""Decides the project of each resource and writes it into the record.

The project is the first of these that is set: the project of the sender's API key; the resource
attribute ``spanloom.project``; the resource attribute ``openinference.project.name``; ``default``.
All later code reads the project from the record (``proto/README.md``). See ADR 015.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.collector.intake.findings import Change, Findings
from spanloom.collector.intake.prescan import resource_entries
from spanloom.core.conventions.projects import PROJECT_ATTRIBUTES
from spanloom.core.model.access import DEFAULT_PROJECT, is_project_name
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ENTRY_TAG = b"\x0a"
"""Tag of ``ExportTraceServiceRequest.resource_spans``."""
_PROJECT_TAG = b"\xc2\x3e"
"""Tag of our field ``ResourceSpans.project``: field 1000, length-delimited."""


def resolve_project(key_project: str, attributes: Mapping[str, bytes], findings: Findings) -> str:
    r"""Return the project of a resource with these attributes (encoded ``AnyValue`` by key).

    An invalid name (``is_project_name``) is skipped and counted in ``findings``. Example: ``shop``
    for ``{"spanloom.project": "a\nb", "openinference.project.name": "shop"}``.
    """
    if key_project:
        return key_project
    for name in _named(attributes):
        if is_project_name(name):
            return name
        findings.changes[Change.PROJECT] += 1
    return DEFAULT_PROJECT


def write_projects(body: bytes, projects: Sequence[str]) -> bytes:
    """Return the encoded request with the project appended to each resource entry.

    In protobuf the last occurrence of a field counts, so no sender can override the project.
    ``body`` must consist of resource entries only, one for each of ``projects``.
    """
    view = memoryview(body)
    parts: list[bytes | memoryview] = []
    for (start, stop), project in zip(resource_entries(body), projects, strict=True):
        name = project.encode()
        field = _PROJECT_TAG + encode_varint(len(name)) + name
        parts += (_ENTRY_TAG, encode_varint(stop - start + len(field)), view[start:stop], field)
    return b"".join(parts)


def sizes_by_project(body: bytes, projects: Sequence[str]) -> Mapping[str, int]:
    """Return the bytes of each project in a request; parameters as in ``write_projects``."""
    sizes: Counter[str] = Counter()
    for (start, stop), project in zip(resource_entries(body), projects, strict=True):
        sizes[project] += stop - start
    return sizes


def _named(attributes: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the project names in the attributes; "" (invalid) for a value that is not a text."""
    for key in PROJECT_ATTRIBUTES:
        if key in attributes:
            value = AnyValue.FromString(attributes[key])
            kind = value.WhichOneof("value")
            if kind == "string_value" and value.string_value:
                yield value.string_value
            elif kind not in {None, "string_value"}:
                yield ""
