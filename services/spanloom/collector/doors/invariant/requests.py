"""Parses and checks the requests of Invariant's SDK; an error names the field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.collector.doors.otlp.json import load_json
from spanloom.core.conventions.invariant_annotations import read_annotation
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.collector.intake.limits import Limits
    from spanloom.core.conventions.invariant_annotations import Annotation

    Json = dict[str, Any]  # a JSON object

_DATASET_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")
_MOST_CHARS = 100
"""Maximum length of a message's role, in characters."""


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


def read_metadata(body: bytes, limits: Limits) -> Json:
    """Parse a request to describe a dataset; raises ``InvalidRequestError``."""
    return _object(load_json(body, limits).get("metadata"), "metadata")


def check_name(name: object) -> str:
    """Return the name of a dataset; raises ``InvalidRequestError`` if it is invalid."""
    if not isinstance(name, str) or not _DATASET_NAME.fullmatch(name):
        raise InvalidRequestError("dataset: a name of A-Z, a-z, 0-9, - and _ is needed.")
    return name


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
