"""A program: reads the embedded store of a stopped service, bypassing every layer above SQL.

Started as ``python -m tests.support.stored DATA_DIR [TRACE_ID]``, because only one process may open
an embedded store. Prints how often each span is stored, and the trace's attributes as OTLP.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clickhouse_connect
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.support.programs import run_program

from spanloom.core.model.span import TraceKey
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

COPIES = """
SELECT concat(lower(TraceId), '/', lower(SpanId)) AS span, count() AS copies
FROM otel_traces FINAL GROUP BY span
"""

IN_VIEWS = """
SELECT TraceId AS name, count() AS rows FROM v_trajectories GROUP BY name
UNION ALL
SELECT concat(TraceId, '/', StepId) AS name, count() AS rows FROM v_steps GROUP BY name
"""


def read_stored(data_dir: Path, trace_id: str = "") -> dict[str, Any]:
    """Run this program.

    ``copies`` maps trace/span to its number of rows, ``views`` traces and steps to their rows in
    the views, ``attributes`` spans to values.
    """
    found: dict[str, Any] = run_program(
        "tests.support.stored", str(data_dir), trace_id, timeout_s=60
    )
    return found


def main() -> None:
    """Print the stored spans."""
    path, trace_id = Path(sys.argv[1]).absolute() / "store", sys.argv[2]
    client = clickhouse_connect.get_client(interface="chdb", path=str(path))
    views = {str(name): int(rows) for name, rows in client.query(IN_VIEWS).result_rows}
    found = {"copies": _copies(client), "views": views, "attributes": _attributes(path, trace_id)}
    print(json.dumps(found))


def _copies(client: Client) -> dict[str, int]:
    return dict(client.query(COPIES).result_rows)  # type: ignore[arg-type]  # the query's columns


def _attributes(path: Path, trace_id: str) -> dict[str, dict[str, object]]:
    store = open_store(f"chdb://{path}")
    traces = TracesData.FromString(store.spans.read_otlp(TraceKey("default", trace_id)))
    store.close()
    return {
        span.span_id.hex(): {a.key: MessageToDict(a.value) for a in span.attributes}
        for resource in traces.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }


if __name__ == "__main__":
    main()
