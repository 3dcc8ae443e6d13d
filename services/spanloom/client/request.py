"""Requests and replies as plain values: nothing here sends anything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import quote, urlencode

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

AnswerT = TypeVar("AnswerT")
Parameters = dict[str, str | float | bool | None]
JSON = "application/json"
OK, NOT_MODIFIED, NOT_FOUND = 200, 304, 404
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
    """The statuses of success; every other one is an error."""
    media_type: str = JSON
    """The media type of a successful response with a body."""
    or_media_type: str | None = None
    """Another media type that is accepted."""
    is_repeatable: bool = True
    """Whether it may be retried: a GET other than the feed's, and a POST that only reads."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP response."""

    status: int
    headers: Mapping[str, str]
    """Names are in lower case."""
    body: bytes = b""

    @property
    def media_type(self) -> str:
        """The media type of the body."""
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def retry_after_s(self) -> float | None:
        """Seconds until a retry by ``Retry-After``; ``None`` without that header."""
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


def get(path: str, **params: str | float | bool | None) -> Request:
    """Return a GET request for a path."""
    return Request("GET", path, given(params))


def in_body_if_long(request: Request) -> Request:
    """Return the same request with its query in the body, if it is too long for a URL.

    Only paths with a POST variant are changed.
    """
    path = _IN_A_BODY.get(request.path)
    if path is None or len(urlencode(request.params)) <= MOST_IN_ADDRESS:
        return request
    headers = {**request.headers, "content-type": JSON}
    body = orjson.dumps(dict(request.params))
    return replace(request, method="POST", path=path, params={}, headers=headers, body=body)


def post(path: str, **params: str | float | bool | None) -> Request:
    """Return a POST request, which is not retried."""
    return Request("POST", path, given(params), is_repeatable=False)


def segment(text: str) -> str:
    """Return a text escaped as one segment of a path, also if it is ``..`` or holds slashes."""
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


def or_any(wanted: bool | None) -> bool | str:
    """Return the value of a filter that is on by default: ``any`` turns it off."""
    return "any" if wanted is None else wanted


def body_of(reply: Reply) -> bytes:
    """Return the body of a reply unparsed."""
    return reply.body


def _moment(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return None
