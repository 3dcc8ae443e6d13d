"""What is stored of requests that were acknowledged just before a kill, read past the API.

Started as ``python -m tests.support.archive DATA_DIR TRACE_ID…`` it prints each trace of the
embedded store of a stopped service as OTLP, in base64: one process may hold one embedded store.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.connect import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.otlp_door import Door

STORED_S = 60.0


def read_traces(data_dir: Path, trace_ids: Sequence[str]) -> Mapping[str, TracesData]:
    """Run this program; give the traces by id."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.archive", str(data_dir), *trace_ids],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    printed: Mapping[str, str] = json.loads(ended.stdout)
    return {key: TracesData.FromString(base64.b64decode(value)) for key, value in printed.items()}


def spans_of(trace: TracesData) -> list[Span]:
    """Give the spans of a trace by their ids, whatever resource and scope they have."""
    scopes = [scope for resource in trace.resource_spans for scope in resource.scope_spans]
    return sorted((span for scope in scopes for span in scope.spans), key=lambda s: s.span_id)


def await_stored(door: Door) -> None:
    """Wait until the spool is empty."""
    until = time.monotonic() + STORED_S
    while door.metric("spanloom_spool_records "):
        assert time.monotonic() < until, "the spool is not empty"
        time.sleep(0.05)


def main() -> None:
    """Print what is stored."""
    store = open_store(f"chdb://{Path(sys.argv[1]).absolute() / 'store'}")
    found = {key: store.read_otlp(TraceKey("default", key)) for key in sys.argv[2:]}
    store.close()
    print(json.dumps({key: base64.b64encode(otlp).decode() for key, otlp in found.items()}))


if __name__ == "__main__":
    main()
