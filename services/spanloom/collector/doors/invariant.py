"""Endpoints for Invariant's SDK (``/api/v1/push/trace`` …).

Input: lists of messages as JSON. Output: OTLP protobuf, a span for each run and for each message
(``core/conventions/invariant.py``), and responses in the format of Invariant Explorer.
"""

from __future__ import annotations

import hashlib
import re
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid4

import orjson

from spanloom.collector.doors.door import JSON_ONLY, Accepted, Door, Received
from spanloom.collector.doors.http_messages import Answer, answer_error
from spanloom.collector.doors.otlp.json import load_json
from spanloom.collector.doors.otlp_writing import RequestWriter, as_text, put_attribute
from spanloom.collector.doors.status import MAX_ERROR_BYTES, build_status, clip
from spanloom.core.conventions import invariant as keys
from spanloom.core.conventions.evaluations import EVALUATOR, EXPLANATION, NAME, OWN, RESULT
from spanloom.core.conventions.invariant_annotations import ANNOTATION, read_annotation
from spanloom.core.conventions.listed_messages import time_ns
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from spanloom.collector.doors.http_messages import RequestHead
    from spanloom.collector.intake.export import Exporter, ExportOutcome
    from spanloom.collector.intake.limits import Limits
    from spanloom.core.conventions.invariant_annotations import Annotation

    Json = dict[str, Any]  # a JSON object

PUSH = "/api/v1/push/trace"
APPEND = "/api/v1/trace/{trace_id}/messages"
DATASET = "/api/v1/dataset/metadata/{name}"
_TRACE_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DATASET_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")
_MOST_CHARS = 100
"""Maximum length of a message's role, in characters."""
_UNNAMED = "agent"
_OWN_PROJECT = "default"
_NOT_KEPT = "invariant_dataset_metadata"
"""Signal name, in the metrics, for dataset metadata, which is accepted but not stored."""
_SAYS_SO = ((b"warning", b'299 - "The metadata of datasets is not stored."'),)


class _Pushed(NamedTuple):
    """One list of messages in a request."""

    trace_id: bytes
    messages: Sequence[Json]
    times: Sequence[int]
    """The time of each message, in ns since the epoch."""


class Push(NamedTuple):
    """A checked request to push runs."""

    traces: Sequence[Sequence[Json]]
    metadata: Sequence[Json]
    dataset: str
    annotations: Sequence[Sequence[Annotation]]
    """The annotations of each run."""


class Appended(NamedTuple):
    """A checked request to append messages to a run."""

    messages: Sequence[Json]
    annotations: Sequence[Annotation]


def read_push(body: bytes, limits: Limits) -> Push:
    """Parse a request to push runs; raises ``InvalidRequestError``, which names the field."""
    request = load_json(body, limits)
    traces = _list(request.get("messages"), "messages")
    if not traces:
        raise InvalidRequestError("messages: at least one list of messages is needed.")
    checked = [_messages(one, f"messages[{at}]") for at, one in enumerate(traces)]
    annotations = _column(request, "annotations", len(traces))
    notes = [_annotations(one, f"annotations[{at}]") for at, one in enumerate(annotations)]
    _check_count(sum(map(len, (*checked, *notes))) + len(checked), limits)
    metadata = _column(request, "metadata", len(traces))
    objects = [_object(one or {}, f"metadata[{at}]") for at, one in enumerate(metadata)]
    dataset = request.get("dataset")
    return Push(checked, objects, "" if dataset is None else check_name(dataset), notes)


def read_append(body: bytes, limits: Limits) -> Appended:
    """Parse a request to append messages to a run.

    Raises ``InvalidRequestError``, which names the field.
    """
    request = load_json(body, limits)
    messages = _messages(request.get("messages"), "messages")
    if not messages:
        raise InvalidRequestError("messages: at least one message is needed.")
    annotations = _annotations(request.get("annotations"), "annotations")
    _check_count(len(messages) + len(annotations), limits)
    return Appended(messages, annotations)


def check_name(name: object) -> str:
    """Return the name of a dataset; raises ``InvalidRequestError`` if it is invalid."""
    if not isinstance(name, str) or not _DATASET_NAME.fullmatch(name):
        raise InvalidRequestError("dataset: a name of A-Z, a-z, 0-9, - and _ is needed.")
    return name


def encode_push(push: Push, trace_ids: Sequence[bytes], arrived_ns: int) -> bytes:
    """Return the runs of a request as an encoded ``ExportTraceServiceRequest``."""
    writer = RequestWriter(keys.SCOPE)
    runs = zip(trace_ids, push.traces, push.metadata, push.annotations, strict=True)
    for trace_id, messages, metadata, notes in runs:
        pushed = _Pushed(trace_id, messages, _times(messages, arrived_ns))
        _write_run(writer.add_span(""), pushed, metadata, push.dataset, arrived_ns)
        _write_messages(writer, pushed, arrived_ns)
        _write_annotations(writer, trace_id, notes, arrived_ns)
    return writer.encode()


def encode_append(trace_id: bytes, appended: Appended, arrived_ns: int) -> bytes:
    """Return appended messages as an encoded ``ExportTraceServiceRequest``."""
    writer = RequestWriter(keys.SCOPE)
    pushed = _Pushed(trace_id, appended.messages, _times(appended.messages, arrived_ns))
    _write_messages(writer, pushed, arrived_ns)
    _write_annotations(writer, trace_id, appended.annotations, arrived_ns)
    return writer.encode()


def _write_run(span: Span, pushed: _Pushed, metadata: Json, dataset: str, arrived_ns: int) -> None:
    names = (metadata.get("agent"), metadata.get("name"), dataset, _UNNAMED)
    span.trace_id, span.span_id = pushed.trace_id, keys.run_span_id(pushed.trace_id)
    span.name = next(name for name in names if isinstance(name, str) and name)
    span.start_time_unix_nano = min(pushed.times, default=arrived_ns)
    span.end_time_unix_nano = max(pushed.times, default=arrived_ns)
    put_attribute(span, keys.DATASET, dataset)
    if metadata:
        put_attribute(span, keys.SOURCE, as_text(metadata))
    if shown := metadata | ({"dataset": dataset} if dataset else {}):
        put_attribute(span, "metadata", as_text(shown))


def _write_messages(writer: RequestWriter, pushed: _Pushed, arrived_ns: int) -> None:
    parent_id = keys.run_span_id(pushed.trace_id)
    for at, (message, time_at) in enumerate(zip(pushed.messages, pushed.times, strict=True)):
        span, text = writer.add_span(""), as_text(message)
        span.trace_id, span.parent_span_id = pushed.trace_id, parent_id
        span.span_id = _message_id(pushed.trace_id, at, message, text)
        span.name = message["role"]
        span.start_time_unix_nano = span.end_time_unix_nano = time_at
        put_attribute(span, keys.ROLE, message["role"])
        put_attribute(span, keys.MESSAGE, text)
        put_attribute(span, keys.ARRIVED, str(arrived_ns))
        put_attribute(span, keys.POSITION, at)


def _write_annotations(
    writer: RequestWriter, trace_id: bytes, annotations: Sequence[Annotation], arrived_ns: int
) -> None:
    """Write annotations as evaluation results for the run; extraction finds their steps."""
    for one in annotations:
        span = writer.add_span("")
        span.trace_id, span.parent_span_id = trace_id, keys.run_span_id(trace_id)
        span.span_id, span.name = one.id_in(trace_id), RESULT
        span.start_time_unix_nano = span.end_time_unix_nano = arrived_ns
        put_attribute(span, NAME, ANNOTATION)
        put_attribute(span, EVALUATOR, one.author)
        put_attribute(span, f"{OWN}text", one.content)
        put_attribute(span, f"{OWN}value_type", "text")
        put_attribute(span, f"{OWN}item", one.item_in(trace_id))
        put_attribute(span, EXPLANATION, one.about)
        put_attribute(span, keys.ADDRESS, one.address)


def _message_id(trace_id: bytes, at: int, message: Json, text: str) -> bytes:
    """Return the id of a message's span: a hash of its content if it has a time, otherwise random.

    So sending a request again, with the times that the SDK wrote, changes nothing.
    """
    if time_ns(message) is None:
        return uuid4().bytes[:8]
    return hashlib.sha256(b"%s\0%d\0%s" % (trace_id, at, text.encode())).digest()[:8]


def _times(messages: Sequence[Json], arrived_ns: int) -> Sequence[int]:
    """Return a time for each message, in ns since the epoch.

    A message without a time gets the previous message's time, or, at the start, the first time in
    the list. If no message has a time, all get the time of arrival.
    """
    known = [time_ns(message) for message in messages]
    last = next((moment for moment in known if moment is not None), arrived_ns)
    times = []
    for moment in known:
        last = last if moment is None else moment
        times.append(last)
    return times


def _messages(value: object, where: str) -> Sequence[Json]:
    messages = _list(value, where)
    for at, message in enumerate(messages):
        role = _object(message, f"{where}[{at}]").get("role")
        if not isinstance(role, str) or not 0 < len(role) <= _MOST_CHARS:
            raise InvalidRequestError(f"{where}[{at}].role: a short string is needed.")
        calls = _list(message.get("tool_calls") or [], f"{where}[{at}].tool_calls")
        for n, call in enumerate(calls):
            _object(call, f"{where}[{at}].tool_calls[{n}]")
    return messages


def _annotations(value: object, where: str) -> Sequence[Annotation]:
    items = _list([] if value is None else value, where)
    return [read_annotation(one, f"{where}[{at}]") for at, one in enumerate(items)]


def _check_count(spans: int, limits: Limits) -> None:
    if spans > limits.max_spans:
        raise RequestTooLargeError(f"The request has more than {limits.max_spans} messages.")


def _column(request: Json, name: str, count: int) -> Sequence[Any]:
    value = request.get(name)
    items = [None] * count if value is None else _list(value, name)
    if len(items) != count:
        raise InvalidRequestError(f"{name}: as many items as in messages are needed.")
    return items


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidRequestError(f"{where}: a list is needed.")
    return value


def _object(value: object, where: str) -> Json:
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is needed.")
    return value


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
            "username": request.project or _OWN_PROJECT,
        }
        return _accept(named, outcome)

    def append(request: Received) -> Accepted:
        trace_id = trace_id_in(request.head.path)
        if trace_id is None:
            return Accepted(_answer(404, {"detail": "There is no trace with this id."}), "invalid")
        told = read_append(request.body, limits)
        outcome = put(encode_append(trace_id, told, time.time_ns()), request)
        return _accept({"success": True}, outcome)

    def describe(request: Received) -> Accepted:
        """Accept and drop a dataset's metadata, which describe no run; the response reports it."""
        check_name(request.head.path.rpartition("/")[2])
        metadata = _object(load_json(request.body, limits).get("metadata"), "metadata")
        exporter.count_dropped(_NOT_KEPT, 1)
        return Accepted(Answer(200, orjson.dumps(metadata), _SAYS_SO))

    return {
        PUSH: Door("traces", push, _refuse, JSON_ONLY),
        APPEND: Door("traces", append, _refuse, JSON_ONLY),
        DATASET: Door("datasets", describe, _refuse, JSON_ONLY, "PUT"),
    }


def _accept(document: Json, outcome: ExportOutcome) -> Accepted:
    told = {"detail": clip(outcome.message, MAX_ERROR_BYTES)} if outcome.message else {}
    return Accepted(_answer(200, document | told), outcome.name)


def _answer(status: int, document: Json) -> Answer:
    return Answer(status, orjson.dumps(document))


def _refuse(error: Exception, head: RequestHead) -> Answer:
    refusal = answer_error(error, head)
    document = {"detail": build_status(error).message}
    return Answer(refusal.status, orjson.dumps(document), refusal.headers)
