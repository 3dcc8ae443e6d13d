"""Converts Langfuse's scores to evaluation results, in the form of log records.

A score names its trace, and, unless it judges the whole trace, the observation that it judges. A
score replaces an earlier score with the same id. See ADR 073.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from spanloom.collector.doors.langfuse.fields import span_id_of, trace_id_of
from spanloom.collector.doors.otlp_writing import RequestWriter, as_text, put_attribute
from spanloom.core.conventions.agent_logs import SCOPE_NAME
from spanloom.core.conventions.evaluations import EXPLANATION, LABEL, NAME, OWN, RESULT, VALUE
from spanloom.core.errors import InvalidRequestError
from spanloom.core.values.moments import iso_nanoseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AUTHOR = "langfuse"
_SCOPE = "langfuse-ingestion"
_MAX_ID_BYTES = 512
_KINDS = ("NUMERIC", "CATEGORICAL", "BOOLEAN", "CORRECTION", "TEXT")
_CORRECTION = "output"
"""The name that Langfuse gives to corrections without a name."""


class Score(NamedTuple):
    """A score in the form in which it is stored: an evaluation result for a trace."""

    id: str
    event_id: str
    """Id of the event that contained the score."""
    trace_id: bytes
    span_id: bytes
    """The OTLP span id; empty if the score judges the whole trace."""
    time_ns: int
    attributes: Mapping[str, object]


def read_score(body: Mapping[str, object], event_id: str, time_ns: int) -> Score:
    """Return the score in a request body; raises ``InvalidRequestError`` if it is invalid.

    ``time_ns`` is the time of the score if the body has none.
    """
    if not (trace := _id(body, "traceId")):
        raise InvalidRequestError("traceId: a score must name its trace.")
    observation = _id(body, "observationId")
    kind = _kind(body)
    trace_id, span_id = trace_id_of(trace), span_id_of(observation) if observation else b""
    if not any(trace_id) or (observation and not any(span_id)):
        raise InvalidRequestError("An id must not be all zeros.")
    config = body.get("configId")
    attributes = {
        NAME: _name(body, kind),
        **_value(body.get("value"), kind),
        EXPLANATION: body.get("comment"),
        OWN + "config_hash": config if isinstance(config, str) else None,
        SCOPE_NAME: AUTHOR,
    }
    made_ns = iso_nanoseconds(body.get("timestamp")) or time_ns
    return Score(_id(body, "id") or event_id, event_id, trace_id, span_id, made_ns, attributes)


def encode_scores(scores: Iterable[Score], key: bytes) -> bytes:
    """Encode scores for the spool like log records; ``key`` is for the hashes that are span ids."""
    writer = RequestWriter(_SCOPE)
    for place, score in enumerate(scores):
        event = writer.add_span("")
        event.name = RESULT
        for name, value in score.attributes.items():
            put_attribute(event, name, value)
        event.trace_id, event.parent_span_id = score.trace_id, score.span_id
        event.start_time_unix_nano = event.end_time_unix_nano = score.time_ns
        named = f"langfuse score {score.id}".encode(errors="surrogatepass")
        event.span_id = hashlib.blake2b(named, digest_size=8, key=key).digest()
        event.flags = place
    return writer.encode()


def _id(body: Mapping[str, object], name: str) -> str:
    value = body.get(name)
    text = value if isinstance(value, str) else ""
    if len(text.encode(errors="surrogatepass")) > _MAX_ID_BYTES:
        raise InvalidRequestError(f"An id must not have more than {_MAX_ID_BYTES} bytes.")
    return text


def _name(body: Mapping[str, object], kind: str) -> str:
    name = body.get("name")
    if isinstance(name, str) and name.strip():
        return name
    if kind == "CORRECTION":
        return _CORRECTION
    raise InvalidRequestError("name: a score must have a name.")


def _kind(body: Mapping[str, object]) -> str:
    """Return the data type of a score; if unset, a number is numeric and a text categorical."""
    if (value := body.get("dataType")) is None:
        return "CATEGORICAL" if isinstance(body.get("value"), str) else "NUMERIC"
    if value not in _KINDS:
        raise InvalidRequestError(f"dataType: must be one of {', '.join(_KINDS)}.")
    return str(value)


def _value(value: object, kind: str) -> Mapping[str, object]:
    if kind == "NUMERIC":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidRequestError("value: must be a number.")
        return {VALUE: value}
    if kind == "BOOLEAN":
        if value not in (0, 1):
            raise InvalidRequestError("value: must be 0 or 1.")
        return {VALUE: str(int(bool(value))), OWN + "value_type": "boolean"}
    if value is None or isinstance(value, bool | dict | list):
        raise InvalidRequestError("value: must be a text.")
    if kind == "CATEGORICAL":
        return {LABEL: as_text(value)}
    return {OWN + "text": as_text(value), OWN + "value_type": "text"}
