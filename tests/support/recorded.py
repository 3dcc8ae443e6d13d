"""Recorded runs (``fixtures/recorded``): their documents, extracted in this process."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.extracting import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

RECORDED = Path(__file__).parents[1] / "fixtures" / "recorded"
LATER_S = 100.0
Document = dict[str, Any]  # the canonical document


def cases_in(folder: Path) -> Sequence[str]:
    """Return the names of the cases in a folder that have an ``expect.json``."""
    return sorted(path.name.removesuffix(".expect.json") for path in folder.glob("*.expect.json"))


def built(messages: Iterable[ExportTraceServiceRequest | bytes]) -> World:
    """Return a world to which the messages were sent in sequence, with everything settled."""
    world = World()
    for message in messages:
        world.send_message(message)
        world.step(LATER_S)
    world.step(LATER_S)
    return world


def all_documents(path: Path) -> list[Document]:
    """Return the documents of a recorded run's traces, ordered by trace id."""
    body = gzip.decompress(path.read_bytes())
    world = built([body])
    scopes = [s for r in TracesData.FromString(body).resource_spans for s in r.scope_spans]
    traces = sorted({span.trace_id.hex() for scope in scopes for span in scope.spans})
    return [world.document(trace_id) for trace_id in traces]


def documents(name: str) -> list[Document]:
    """Return the documents of the traces of a recorded run that have steps."""
    found = all_documents(RECORDED / f"{name}.otlp.gz")
    return [d for d in found if sum(d["extraction"]["step_counts"].values()) > 1]
