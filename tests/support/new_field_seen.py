"""A program: prints the locations of the field ``absences`` of runs in a service, as JSON.

It is started on a copy of the package in which the record of a run has that field, and the other
records have the fields of ``new_fields_elsewhere``, because a process can import only one package.
Argument: a directory for the store.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from docs.page_types import page_types
from fastapi.testclient import TestClient
from tests.support.access import open_access
from tests.support.new_fields_elsewhere import seen_elsewhere
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.api.app import create_app
from spanloom.cli.completing import _columns
from spanloom.client import Run
from spanloom.core.model.span import TraceKey
from spanloom.metrics import Metrics
from spanloom.storage.engine.connect import open_connection
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

FIELD = "absences"
KEY = TraceKey("default", "a" * 32)
SCORED = "v_scores WHERE Name = 'tone'"


def main() -> None:
    """Store a run with two absences and read it in every way."""
    url = f"chdb://{Path(sys.argv[1]).absolute() / 'store'}"
    with closing(open_upkeep(url)) as upkeep:
        added = upkeep.migrate()
    with closing(open_connection(url)) as connection:
        described = connection._client.query("DESCRIBE v_trajectories").result_rows
        views = {
            view: [row[0] for row in connection._client.query(f"DESCRIBE {view}").result_rows]
            for view in ("v_scores", "v_annotations")
        }
    run = make_trajectory(KEY)
    run.absences = ("root", "start")
    with closing(open_store(url)) as store:
        store.trajectories.write([make_record(KEY, run)])
        app = create_app(store, Metrics(), open_access())
        with TestClient(app, base_url="http://127.0.0.1:8080") as client:
            seen = _asked(client)
            seen["elsewhere"] = seen_elsewhere(store, client)
            seen["sql"] = [
                store.annotations._reader._client.query(f"SELECT Words FROM {table}").result_rows
                for table in ("v_annotations", SCORED, "annotation_queue_items")
            ]
    seen["added"] = [name for name in added if name[0].isalpha()]  # without numbered migrations
    seen["views"] = [view for view, columns in views.items() if "Words" in columns]
    seen["view"] = [row[1] for row in described if row[0] == "Absences"]
    context = click.Context(click.Command("list"), info_name="list")
    seen["shell"] = [str(item.value) for item in _columns(context, "trace_id,absen")]
    seen["page"] = [line.strip() for line in page_types().splitlines() if FIELD in line]
    print(json.dumps(seen))


def _asked(client: TestClient) -> dict[str, Any]:
    def listed(**query: str) -> Any:
        return client.get("/v1/trajectories", params={"has_steps": "any", **query}).json()["items"]

    described = client.get("/openapi.json").json()["components"]["schemas"]["Run"]["properties"]
    (item,) = listed()
    fields = client.get("/v1/fields").json()["items"]
    csv = client.get(
        "/v1/trajectories?fields=absences&has_steps=any", headers={"Accept": "text/csv"}
    ).text
    return {
        "answer": item[FIELD],
        "client": getattr(Run.model_validate(item), FIELD),
        "openapi": described[FIELD]["type"],
        "fields": listed(fields=FIELD),
        "csv": csv.split(),
        "where": [len(listed(where=f"absences {sign} 2")) for sign in ("=", ">")],
        "order": len(listed(order=f"-{FIELD}")),
        "field": [one["type"] for one in fields if one["name"] == FIELD],
    }


if __name__ == "__main__":
    main()
