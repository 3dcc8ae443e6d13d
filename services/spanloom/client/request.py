"""Requests and replies as plain values, and the conversion of replies to results or exceptions."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar
from urllib.parse import quote, urlencode

import orjson

from spanloom.client.errors import (
    BY_STATUS,
    ApiError,
    ClientError,
    Fault,
    NotSpanloomError,
    QueryError,
)
from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from pydantic import BaseModel


AnswerT = TypeVar("AnswerT")
ItemT = TypeVar("ItemT")
ListedT_co = TypeVar("ListedT_co", covariant=True)
ModelT = TypeVar("ModelT", bound="BaseModel")
Parameters = dict[str, str | float | bool | None]
JSON = "application/json"
OK, NOT_MODIFIED, NOT_FOUND, NOT_ACCEPTABLE = 200, 304, 404, 406
MOST_IN_ADDRESS = 4_000
"""Maximum characters of parameters in a URL: the service accepts more, many proxies 8,000."""
_IN_A_BODY = {"/v1/trajectories": "/v1/trajectories/search"}
"""Paths that accept their parameters in a body, and the path to POST it to."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request without the service's URL."""

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    expected: frozenset[int] = frozenset({OK})
    """The statuses of success; every other status is an error."""
    media_type: str = JSON
    """The media type of a successful response with a body."""
    or_media_type: str | None = None
    """Another media type that is accepted."""
    is_repeatable: bool = True
    """Whether the request may be retried: a GET, except of the feed, or a POST that only reads."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response."""

    status: int
    headers: Mapping[str, str]
    """The response headers; names are in lower case."""
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type of the body."""
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def retry_after_s(self) -> float | None:
        """Seconds until a retry, from ``Retry-After``; ``None`` if there is no such header."""
        text = self.headers.get("retry-after", "")
        if text.isdecimal():
            return float(text)
        when, now = _moment(text), _moment(self.headers.get("date", ""))
        return max(0.0, (when - now).total_seconds()) if when and now else None


@dataclass(frozen=True, slots=True)
class Call(Generic[AnswerT]):
    """A request, and the function that parses its reply.

    ``read`` raises ``ValueError``, ``KeyError`` or ``TypeError`` if the reply is not Spanloom's.
    """

    request: Request
    read: Callable[[Reply], AnswerT]


def typed(request: Request, model: type[ModelT]) -> Call[ModelT]:
    """Return the call whose reply is one record as JSON."""

    def read(reply: Reply) -> ModelT:
        return model.model_validate_json(reply.body)

    return Call(request, read)


class Listed(Protocol[ListedT_co]):
    """A record that is a list, such as ``DatasetList``."""

    @property
    def items(self) -> Sequence[ListedT_co]:
        """The records in the list."""

    @classmethod
    def model_validate_json(cls, json_data: bytes) -> Self:
        """Parse the record from JSON."""


def typed_items(request: Request, model: type[Listed[ItemT]]) -> Call[Sequence[ItemT]]:
    """Return the call whose reply is a whole list of records as JSON."""

    def read(reply: Reply) -> Sequence[ItemT]:
        return model.model_validate_json(reply.body).items

    return Call(request, read)


def as_table(path: str, params: Parameters, media_type: str) -> Call[bytes]:
    """Return the call for a whole list in the given media type: a table or JSON lines."""
    request = Request("GET", path, given(params), {"accept": media_type}, media_type=media_type)
    return Call(request, lambda reply: reply.body)


def as_object(reply: Reply) -> Mapping[str, Any]:
    """Return the JSON object of a reply."""
    value: dict[str, Any] = orjson.loads(reply.body)
    return value


def get(path: str, **params: str | float | bool | None) -> Request:
    """Return a GET request for a path."""
    return Request("GET", path, given(params))


def in_body_if_long(request: Request) -> Request:
    """Return the same request with its query in the body, if it is too long for a URL.

    Only paths that also accept a POST are changed.
    """
    path = _IN_A_BODY.get(request.path)
    if path is None or len(urlencode(request.params)) <= MOST_IN_ADDRESS:
        return request
    headers = {**request.headers, "content-type": JSON}
    body = orjson.dumps(dict(request.params))
    return replace(request, method="POST", path=path, params={}, headers=headers, body=body)


def signed(annotator: str | None) -> Mapping[str, str]:
    """Return the header that names an annotator, for a service without keys; empty for ``None``."""
    return {ANNOTATOR_HEADER: quote(annotator, safe="")} if annotator else {}


def with_json(
    method: str,
    path: str,
    body: Mapping[str, object],
    *,
    project: str | None = None,
    annotator: str | None = None,
) -> Request:
    """Return a request with a JSON body that has the same effect if it is sent twice."""
    headers = {"content-type": JSON, **signed(annotator)}
    return Request(method, path, given({"project": project}), headers, orjson.dumps(body))


def delete(path: str, annotator: str | None = None, **params: str | float | None) -> Request:
    """Return a DELETE request, which is not retried."""
    return Request("DELETE", path, given(params), signed(annotator), is_repeatable=False)


def post(path: str, **params: str | float | bool | None) -> Request:
    """Return a POST request, which is not retried."""
    return Request("POST", path, given(params), is_repeatable=False)


def segment(text: str) -> str:
    """Return a text escaped as one segment of a path, even if it is ``..`` or contains slashes."""
    return quote(text, safe="").replace(".", "%2E")


def given(params: Parameters) -> dict[str, str]:
    """Return the parameters that are set, formatted for the API: ``true``, not ``True``.

    ``from_`` becomes ``from``, which is a keyword in Python.
    """
    return {
        name.rstrip("_"): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in params.items()
        if value is not None
    }


def given_members(**members: object) -> Mapping[str, object]:
    """Return the members of a body that are set."""
    return {name: value for name, value in members.items() if value is not None}


def or_any(value: bool | None) -> bool | str:
    """Return the value of a filter that is on by default; ``None`` becomes ``any`` (off)."""
    return "any" if value is None else value


def body_of(reply: Reply) -> bytes:
    """Return the body of a reply unparsed."""
    return reply.body


def _moment(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return None


PROBLEM = "application/problem+json"
WHERE = "where"
"""The parameter with a query; faults in it, and in `fields`, have positions."""


def settle(outcome: Reply | ClientError, request: Request, url: str) -> Reply:
    """Return the reply if its status and type are expected; otherwise raise ``ClientError``."""
    if isinstance(outcome, ClientError):
        raise outcome
    kind = outcome.media_type
    if outcome.status in request.expected and (
        outcome.status == NOT_MODIFIED
        or kind in {request.media_type, request.or_media_type or PROBLEM, PROBLEM}
    ):
        return outcome
    if kind == PROBLEM and (problem := problem_of(outcome, request)) is not None:
        raise problem
    raise NotSpanloomError(f"what answers at {url} is not Spanloom (HTTP {outcome.status})")


@contextmanager
def reading_from(url: str) -> Iterator[None]:
    """Turn exceptions raised while a reply is parsed into ``NotSpanloomError``."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise NotSpanloomError(
            f"what answers at {url} answers otherwise than Spanloom: {error}"
        ) from error


def problem_of(reply: Reply, request: Request) -> ApiError | None:
    """Return the exception for a problem document; ``None`` if the body is not one."""
    try:
        problem = orjson.loads(reply.body)
        texts = str(problem["title"]), str(problem["detail"])
        faults = [_fault(error) for error in problem.get("errors") or ()]
        resume = problem.get("resume")
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    kind = BY_STATUS.get(reply.status, ApiError)
    placed = [f.parameter for f in faults if f.position is not None or f.parameter == WHERE]
    if queries := {name: sent for name in placed if (sent := _sent(request, name)) is not None}:
        return QueryError(queries, reply.status, *texts, faults, reply.retry_after_s)
    return kind(reply.status, *texts, faults, reply.retry_after_s, resume)


def _fault(error: Mapping[str, Any]) -> Fault:  # parsed JSON
    """Parse one fault; faults in a query also have a position, a message and suggestions."""
    position = error.get("position")
    return Fault(
        str(error.get("parameter") or error["param"]),
        str(error.get("message") or error["detail"]),
        position if isinstance(position, int) else None,
        int(error.get("length") or 1),
        tuple(map(str, error.get("did_you_mean") or ())),
    )


def _sent(request: Request, parameter: str) -> str | None:
    """Return a parameter as it was sent, in the URL or in the body; ``None`` if it was not sent."""
    if request.body:
        sent = orjson.loads(request.body).get(parameter)
        return None if sent is None else str(sent)
    return request.params.get(parameter)
