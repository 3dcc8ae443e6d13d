"""Which project spans belong to: decided here, per resource, and written into the record.

In this order: the project of the key that sent them; the resource attribute ``spanloom.project``;
the resource attribute ``openinference.project.name``; ``default``. What stores and reads spans
takes the project from the record (``proto/README.md``) and knows no rule. See ADR 015.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from spanloom.collector.intake.findings import Change, Findings
from spanloom.collector.intake.prescan import resource_entries
from spanloom.core.model.access import is_project_name
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DEFAULT_PROJECT = "default"
PROJECT_ATTRIBUTES = ("spanloom.project", "openinference.project.name")
_ENTRY_TAG = b"\x0a"
"""``ExportTraceServiceRequest.resource_spans``."""
_PROJECT_TAG = b"\xc2\x3e"
"""Field 1000, length-delimited: ``ResourceSpans.project``, ours."""


def resolve_project(key_project: str, attributes: Mapping[str, bytes], findings: Findings) -> str:
    r"""Return the project of a resource with these attributes (encoded ``AnyValue`` by key).

    A name that no project may have (``is_project_name``) is passed over and noted. Example: of
    ``{"spanloom.project": "a\nb", "openinference.project.name": "shop"}`` it is ``shop``.
    """
    if key_project:
        return key_project
    for name in _named(attributes):
        if is_project_name(name):
            return name
        findings.changes[Change.PROJECT] += 1
    return DEFAULT_PROJECT


def write_projects(body: bytes, projects: Sequence[str]) -> bytes:
    """Return the encoded request with a project behind the fields of each resource entry.

    Of a field that occurs twice the last one counts, so no sender can set it. ``body`` has no
    fields but its resource entries, and as many of these as there are ``projects``.
    """
    view = memoryview(body)
    parts: list[bytes | memoryview] = []
    for (start, stop), project in zip(resource_entries(body), projects, strict=True):
        name = project.encode()
        field = _PROJECT_TAG + encode_varint(len(name)) + name
        parts += (_ENTRY_TAG, encode_varint(stop - start + len(field)), view[start:stop], field)
    return b"".join(parts)


def sizes_by_project(body: bytes, projects: Sequence[str]) -> Mapping[str, int]:
    """Return the bytes of each project in a request; as ``write_projects`` takes them."""
    sizes: Counter[str] = Counter()
    for (start, stop), project in zip(resource_entries(body), projects, strict=True):
        sizes[project] += stop - start
    return sizes


def _named(attributes: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the names that the attributes give; one that is no text yields what none may have."""
    for key in PROJECT_ATTRIBUTES:
        if key in attributes:
            value = AnyValue.FromString(attributes[key])
            kind = value.WhichOneof("value")
            if kind == "string_value" and value.string_value:
                yield value.string_value
            elif kind not in {None, "string_value"}:
                yield ""
