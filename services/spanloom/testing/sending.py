"""Sends a session to a service: runs as OTLP, judgements as scores of one experiment."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.errors import ClientError
from spanloom.client.request import Request
from spanloom.client.transfer.score_rows import PlacedRow
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.core.formats.entry import NDJSON
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from spanloom.client.client import Client
    from spanloom.core.formats.json_bytes import Json

IMPORTS = "/v1/imports"
_FILE = {"content-type": "application/octet-stream"}
_AT_ONCE = 100
"""Maximum runs in a request."""


class Sent(NamedTuple):
    """The numbers of runs and scores that a service accepted, and why some were not."""

    runs: int
    scores: int
    fault: str = ""
    """The first reason why a run or score was not accepted; empty if all were accepted."""


def experiment_name() -> str:
    """Return a name for the experiment of this session, made of the time and the process id."""
    now = datetime.now(UTC)
    return f"pytest {now:%Y-%m-%dT%H:%M:%SZ} {os.getpid()}"


def send_session(client: Client, experiment: str, tests: Mapping[str, list[Any]]) -> Sent:
    """Send the runs and scores of tests, item by item; a failure becomes the result's ``fault``."""
    runs, faults = 0, list[str]()
    try:
        each = iter(_runs(tests))
        while some := list(islice(each, _AT_ONCE)):
            runs += _send_runs(client, some, faults)
        done = send_scores(ServiceScores(client), _rows(tests, experiment))
    except ClientError as error:
        return Sent(runs, 0, str(error))
    faults += [f"{one['place']}: {one['reason']}" for one in done.refused]
    return Sent(runs, done.stored, faults[0] if faults else "")


def _runs(tests: Mapping[str, list[Any]]) -> Iterator[list[Json]]:
    """Yield the spans of each run, each run once."""
    seen: set[str] = set()
    for records in tests.values():
        for record in records:
            if record["spans"] and record["run"]["trace_id"] not in seen:
                seen.add(record["run"]["trace_id"])
                yield record["spans"]


def _send_runs(client: Client, runs: list[list[Json]], faults: list[str]) -> int:
    """Send runs as lines of OTLP; return the number of stored runs, raise ``ClientError``."""
    body = b"".join(dump({"resourceSpans": spans}) + b"\n" for spans in runs)
    request = Request("POST", IMPORTS, {"format": "otlp"}, _FILE, body, media_type=NDJSON)
    reply = client.transport.ask(request)
    arrived = 0
    for line in map(orjson.loads, reply.body.splitlines()):
        if error := line.get("error"):
            raise ClientError(str(error))
        if "reason" in line:
            faults.append(f"a run was refused: {line['reason']}")
        elif "trace_id" in line:
            arrived += 1
    return arrived


def _rows(tests: Mapping[str, list[Any]], experiment: str) -> Iterable[PlacedRow]:
    """Yield the scores of all tests, which are the items; the runs of a test are its repeats."""
    for item, records in sorted(tests.items()):
        runs = sorted({(one["started_at"], one["run"]["trace_id"]) for one in records})
        repeats = {trace_id: at for at, (_, trace_id) in enumerate(runs)}
        for record in records:
            repeat = repeats[record["run"]["trace_id"]]
            for row in record["scores"]:
                placed = {**row, "experiment": experiment, "item": item, "repeat": repeat}
                yield PlacedRow(f"{item}, {row['name']}", placed)
