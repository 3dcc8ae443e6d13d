"""The endpoints: pushes, appends and metadata of datasets, answered as Invariant Explorer does."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import orjson

from spanloom.collector.doors.door import JSON_ONLY, Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.invariant.requests import (
    check_name,
    read_append,
    read_metadata,
    read_push,
)
from spanloom.collector.doors.invariant.spans import encode_append, encode_push
from spanloom.collector.doors.status import MAX_ERROR_BYTES, build_status, clip
from spanloom.core.model.access import DEFAULT_PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.export import Exporter, ExportOutcome
    from spanloom.collector.intake.limits import Limits

    Json = dict[str, Any]  # a JSON object

PUSH = "/api/v1/push/trace"
APPEND = "/api/v1/trace/{trace_id}/messages"
DATASET = "/api/v1/dataset/metadata/{name}"
_TRACE_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NOT_KEPT = "invariant_dataset_metadata"
"""Signal name, in the metrics, for dataset metadata, which is accepted but not stored."""
_SAYS_SO = ((b"warning", b'299 - "The metadata of datasets is not stored."'),)


def trace_id_in(path: str) -> bytes | None:
    """Return the trace id in the path of an append request; ``None`` if it is invalid."""
    text = path.split("/")[-2].lower()
    if not _TRACE_ID.fullmatch(text):
        return None
    return UUID(text).bytes if UUID(text).int else None


def make_invariant_doors(exporter: Exporter, limits: Limits) -> Mapping[str, Door]:
    """Return the endpoints for Invariant Explorer's API, keyed by path."""

    def put(body: bytes, request: Received) -> ExportOutcome:
        request.share.grow(len(body))  # in addition to the body of the request
        return exporter.export_traces(body, request.project)

    def push(request: Received) -> Accepted:
        wanted = read_push(request.body, limits)
        trace_ids = [uuid4().bytes for _ in wanted.traces]
        outcome = put(encode_push(wanted, trace_ids, time.time_ns()), request)
        named = {
            "id": [trace_id.hex() for trace_id in trace_ids],
            "dataset": wanted.dataset or None,
            "username": request.project or DEFAULT_PROJECT,
        }
        return _accept(named, outcome)

    def append(request: Received) -> Accepted:
        trace_id = trace_id_in(request.head.path)
        if trace_id is None:
            return Accepted(_answer(404, {"detail": "There is no trace with this id."}), "invalid")
        appended = read_append(request.body, limits)
        outcome = put(encode_append(trace_id, appended, time.time_ns()), request)
        return _accept({"success": True}, outcome)

    def describe(request: Received) -> Accepted:
        """Accept and drop a dataset's metadata, which describe no run; the response reports it."""
        check_name(request.head.path.rpartition("/")[2])
        metadata = read_metadata(request.body, limits)
        exporter.count_dropped(_NOT_KEPT, 1)
        return Accepted(Answer(200, orjson.dumps(metadata), _SAYS_SO))

    return {
        PUSH: Door("traces", push, _refuse, JSON_ONLY),
        APPEND: Door("traces", append, _refuse, JSON_ONLY),
        DATASET: Door("datasets", describe, _refuse, JSON_ONLY, "PUT"),
    }


def _accept(document: Json, outcome: ExportOutcome) -> Accepted:
    detail = {"detail": clip(outcome.message, MAX_ERROR_BYTES)} if outcome.message else {}
    return Accepted(_answer(200, document | detail), outcome.name)


def _answer(status: int, document: Json) -> Answer:
    return Answer(status, orjson.dumps(document))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    document = {"detail": build_status(error).message}
    return Answer(refusal.status, orjson.dumps(document), refusal.headers)
