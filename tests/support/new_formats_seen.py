"""A program: prints where a service and the shell offer formats added by a test, as JSON.

It is started on a copy of the package that declares them, because a process can import only one
package. Arguments: a directory for files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import httpx
from docs.formats_tables import subjects
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore
from tests.unit.client.conftest import World

from spanloom.cli import annotations as annotation_export
from spanloom.cli import export
from spanloom.client.calls.lists import trajectories
from spanloom.client.transfer.export import Export
from spanloom.client.transfer.export import export as write_file
from spanloom.client.transfer.otlp_file import Piece, read_pieces
from spanloom.core.formats.entry import Of
from spanloom.core.formats.registry import formats_of

RUN_PATH, ROWS_PATH = "/v1/trajectories/{trace_id}", "/v1/trajectories"


def main() -> None:
    """Store a run and read it in each new format."""
    world = World(MemoryStore(), Locks())
    trace_id = world.write(1).trace_id
    with world.client() as client:
        path = Path(sys.argv[1]) / "runs"
        wanted = Export(trajectories(), {}, formats_of(Of.RUNS)["mirror"], path)
        write_file(client, wanted, lambda _: None)
        answers = {
            "one run": json.loads(client.document(trace_id, format="mirror"))["mirror"]["id"],
            "file": json.loads(path.read_text("utf-8"))["mirror"]["id"],
            "annotations": client.annotation_entries(form="tally"),
        }
    with httpx.Client(base_url="http://localhost", transport=world.transport) as http:
        offered = _offered(http.get("/openapi.json").json())
        table = http.get(ROWS_PATH, headers={"accept": "text/tab-separated-values"})
    pieces = [piece for piece in read_pieces(path) if isinstance(piece, Piece)]
    read = [piece.run.trace_id for piece in pieces if piece.run]
    rows = table.headers["content-type"]
    print(json.dumps({**offered, **answers, "rows": rows, "read": read, "written": trace_id}))


def _offered(described: dict[str, Any]) -> dict[str, Any]:
    run, rows = (described["paths"][path]["get"] for path in (RUN_PATH, ROWS_PATH))
    documented = [row[0].strip("`") for _, found in subjects() for row in found]
    return {
        "openapi": _parameter(run, "format")["schema"]["enum"],
        "openapi description": _parameter(run, "format")["description"],
        "openapi lines": described["components"]["schemas"]["Form"]["enum"],
        "openapi rows": list(rows["responses"]["200"]["content"]),
        "openapi header": _parameter(rows, "accept")["description"],
        "export": _choices(export.export_command),
        "annotations export": _choices(annotation_export.export_command),
        "documentation": [name for name in documented if name in {"mirror", "tally", "tsv"}],
    }


def _parameter(operation: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(p for p in operation["parameters"] if p["name"] == name)
    return found


def _choices(command: click.Command) -> list[str]:
    option = next(p for p in command.params if "--format" in p.opts)
    assert isinstance(option.type, click.Choice)
    return [str(name) for name in option.type.choices]


if __name__ == "__main__":
    main()
