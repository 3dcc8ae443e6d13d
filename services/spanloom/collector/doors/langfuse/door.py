"""Langfuse's ingestion API over HTTP: the answer has a status for each event id of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.collector.doors.door import JSON_ONLY, Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.status import build_status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.doors.langfuse.ingestion import Ingested, LangfuseIngestion


def make_langfuse_doors(langfuse: LangfuseIngestion) -> Mapping[str, Door]:
    """Return the endpoints of Langfuse's API, by path."""

    def ingest(request: Received) -> Accepted:
        ingested = langfuse.ingest(request.body, request.project)
        return Accepted(_answer(ingested), "partial" if ingested.refused else "success")

    return {"/api/public/ingestion": Door("traces", ingest, _refuse, JSON_ONLY)}


def _answer(ingested: Ingested) -> Answer:
    """Return the status of each event; Langfuse answers 207 even if all were accepted."""
    document = {
        "successes": [{"id": event_id, "status": 201} for event_id in ingested.accepted],
        "errors": [
            {"id": event_id, "status": status, "message": reason, "error": reason}
            for event_id, reason, status in ingested.refused
        ],
    }
    return Answer(207, orjson.dumps(document))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    document = {"message": build_status(error).message}
    return Answer(refusal.status, orjson.dumps(document), refusal.headers)
