"""What the HTTP receiver serves: for each path, who takes the body and how it is answered.

OTLP's own paths, the same under the addresses that the Coze Loop and Langfuse SDKs send OTLP to,
and two JSON interfaces of theirs. An SDK that is answered in the form it knows logs no errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.collector.doors.encoding import Encoding
from spanloom.collector.doors.http_messages import Answer, RequestHead, answer_error, answer_outcome
from spanloom.collector.doors.status import MAX_ERROR_BYTES, build_status, clip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.collector.doors.langfuse.ingestion import Ingested, LangfuseIngestion
    from spanloom.collector.intake.export import Exporter, ExportOutcome


class Taken(NamedTuple):
    """The answer to a request that was taken, and what the metrics call that."""

    answer: Answer
    outcome: str = "success"


class Door(NamedTuple):
    """What serves one path."""

    signal: str
    """What the metrics call what comes in."""
    take: Callable[[bytes, RequestHead], Taken]
    """Handles a decompressed body; blocks."""
    refuse: Callable[[Exception, RequestHead], Answer] = answer_error
    reads: frozenset[Encoding] | None = frozenset(Encoding)
    """Content types it takes; ``None`` for any."""


_JSON = frozenset({Encoding.JSON})


def make_doors(exporter: Exporter, langfuse: LangfuseIngestion | None) -> Mapping[str, Door]:
    """Give what is served under which path; Langfuse's API where there is a memory for it."""
    traces = _otlp("traces", exporter.export_traces)
    doors = {
        "/v1/traces": traces,
        "/v1/logs": _otlp("logs", exporter.export_logs),
        "/v1/metrics": _otlp("metrics", exporter.drop_metrics),
        "/v1/loop/opentelemetry/v1/traces": traces,
        "/v1/loop/traces/ingest": _cozeloop_ingest(exporter),
        "/v1/loop/files/upload": _cozeloop_upload(exporter),
        "/api/public/otel/v1/traces": traces,
    }
    if langfuse is not None:
        doors["/api/public/ingestion"] = _langfuse_ingestion(langfuse)
    return doors


def _otlp(signal: str, export: Callable[[bytes, Encoding], ExportOutcome]) -> Door:
    def take(body: bytes, head: RequestHead) -> Taken:
        outcome = export(body, head.answer_encoding)
        return Taken(answer_outcome(outcome, head), outcome.name)

    return Door(signal, take)


def _cozeloop_ingest(exporter: Exporter) -> Door:
    def take(body: bytes, _head: RequestHead) -> Taken:
        outcome = exporter.export_cozeloop(body)
        return Taken(_answer_cozeloop(0, outcome.message), outcome.name)

    return Door("traces", take, _refuse_cozeloop, _JSON)


def _cozeloop_upload(exporter: Exporter) -> Door:
    """Take and drop what the SDKs upload beside spans: no store for files is there."""

    def take(_body: bytes, _head: RequestHead) -> Taken:
        exporter.count_dropped("files", 1)
        return Taken(_answer_cozeloop(0, ""))

    return Door("files", take, _refuse_cozeloop, None)


def _answer_cozeloop(code: int, message: str) -> Answer:
    """Answer in Coze Loop's form: any code but 0 has the SDK send it again."""
    return Answer(200, orjson.dumps({"code": code, "msg": clip(message, MAX_ERROR_BYTES)}))


def _refuse_cozeloop(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    told = _answer_cozeloop(refusal.status, build_status(error).message)
    return Answer(refusal.status, told.body, refusal.headers)


def _langfuse_ingestion(langfuse: LangfuseIngestion) -> Door:
    def take(body: bytes, _head: RequestHead) -> Taken:
        ingested = langfuse.ingest(body)
        return Taken(_answer_langfuse(ingested), "partial" if ingested.refused else "success")

    return Door("traces", take, _refuse_langfuse, _JSON)


def _answer_langfuse(ingested: Ingested) -> Answer:
    """Answer each event: Langfuse says 207 even where all is well."""
    document = {
        "successes": [{"id": event_id, "status": 201} for event_id in ingested.accepted],
        "errors": [
            {"id": event_id, "status": 400, "message": reason, "error": reason}
            for event_id, reason in ingested.refused
        ],
    }
    return Answer(207, orjson.dumps(document))


def _refuse_langfuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    document = {"message": build_status(error).message}
    return Answer(refusal.status, orjson.dumps(document), refusal.headers)
