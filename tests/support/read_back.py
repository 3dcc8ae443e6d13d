"""A program: prints the stored OTLP of each trace of a stopped service, as JSON of base64.

It is a process of its own, because only one process may open an embedded store.
"""

from __future__ import annotations

import base64
import json
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from tests.support.programs import run_program

from spanloom.core.model.span import TraceKey
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROJECT = "default"


def read_back(store_url: str, trace_ids: Sequence[str]) -> Mapping[str, bytes]:
    """Return the OTLP of each trace; empty if nothing of it is stored."""
    ids = json.dumps(trace_ids)
    found = run_program("tests.support.read_back", store_url, text=ids)
    return {trace: base64.b64decode(otlp) for trace, otlp in found.items()}


def main() -> None:
    """Read trace ids from standard input, and write their stored spans."""
    with closing(open_store(sys.argv[1])) as store:
        found = {
            trace_id: base64.b64encode(store.spans.read_otlp(TraceKey(PROJECT, trace_id))).decode()
            for trace_id in json.load(sys.stdin)
        }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
