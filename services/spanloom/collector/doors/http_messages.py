"""HTTP requests and responses: headers, and bodies read within limits of size, time and memory."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from google.rpc.code_pb2 import Code
from google.rpc.status_pb2 import Status

from spanloom.access.headers import SECURITY_HEADERS
from spanloom.access.keys import CHALLENGE, KEY_HEADERS
from spanloom.collector.doors.status import (
    Encoding,
    build_status,
    encode_status,
    retry_after_s,
    status_codes,
)
from spanloom.core.errors import RequestTooLargeError, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from spanloom.collector.intake.admission import Reservation
    from spanloom.collector.intake.limits import Limits


Headers = tuple[tuple[bytes, bytes], ...]

CLOSE: Headers = ((b"connection", b"close"),)
"""The header that is sent if the rest of a request body is not read."""
_MIN_GZIP_BYTES = 256
"""Responses with fewer bytes are not compressed, because that saves nothing."""


_SECURITY = tuple(
    (name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()
)


class ClientGoneError(Exception):
    """Raised if the client closed the connection before its request was complete."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request's method, path and headers."""

    method: str
    path: str
    encoding: Encoding | None
    """The OTLP encoding named by the content type; ``None`` for any other content type."""
    coding: str
    """The value of the Content-Encoding header; empty if there is none."""
    content_length: int
    """The value of the Content-Length header; 0 if there is none."""
    accepts_gzip: bool
    key_headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Name and value of each header that may contain an API key; must never be logged."""
    query: str = field(default="", repr=False)
    host: str = ""
    """The Host header."""
    peer: str = ""
    """The sender's address, without its port."""

    @classmethod
    def of(cls, scope: Scope) -> RequestHead:
        """Read the headers of an ASGI scope; the values of a repeated header are joined."""
        headers: dict[bytes, str] = {}
        for name, value in scope["headers"]:
            text = value.decode("latin-1")
            headers[name] = f"{headers[name]}, {text}" if name in headers else text
        length = headers.get(b"content-length", "")
        return cls(
            method=scope["method"],
            path=scope["path"],
            encoding=_encoding(headers.get(b"content-type", "")),
            coding=headers.get(b"content-encoding", ""),
            content_length=int(length) if length.isdecimal() else 0,
            accepts_gzip=_accepts_gzip(headers.get(b"accept-encoding", "")),
            key_headers=tuple(
                (name, headers[name.encode()]) for name in KEY_HEADERS if name.encode() in headers
            ),
            query=scope["query_string"].decode("latin-1"),
            host=headers.get(b"host", ""),
            peer=(scope.get("client") or ("",))[0],
        )

    @property
    def answer_encoding(self) -> Encoding:
        """The encoding of the response: the request's encoding, or JSON if that is unknown."""
        return self.encoding or Encoding.JSON


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete response."""

    status: int
    body: bytes
    headers: Headers = ()

    async def send(self, send: Send, head: RequestHead) -> None:
        """Send the response, compressed if the client accepts gzip and the body is large enough."""
        body = self.body
        kind = (b"content-type", head.answer_encoding.encode())
        headers = [kind, *_SECURITY, *self.headers]
        if head.accepts_gzip and len(body) >= _MIN_GZIP_BYTES:
            body = gzip.compress(body)
            headers += [(b"content-encoding", b"gzip"), (b"vary", b"accept-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class HttpRefusalError(Exception):
    """Raised to refuse a request for a reason in HTTP: path, method, host, or a slow body."""

    def __init__(self, status: int, code: int, message: str, headers: Headers = ()) -> None:
        """Set the HTTP status, and code and message of the body's ``google.rpc.Status``."""
        super().__init__(message)
        self._status = status
        self._body = Status(code=code, message=message)
        self._headers = headers

    @property
    def reason(self) -> str:
        """The lowercase name of the ``google.rpc.Code``, for the log."""
        return Code.Name(self._body.code).lower()  # type: ignore[arg-type]  # any int is a code

    def answer(self, head: RequestHead) -> Answer:
        """Return the response, in the encoding of the request."""
        body = encode_status(self._body, head.answer_encoding)
        return Answer(self._status, body, self._headers)


def answer_error(error: Exception, head: RequestHead) -> Answer:
    """Return the response to a request that failed, with headers for retry and authentication."""
    headers = CLOSE if isinstance(error, RequestTooLargeError) else ()
    if isinstance(error, UnauthenticatedError):
        headers += ((b"www-authenticate", CHALLENGE.encode()),)
    if (delay := retry_after_s(error)) is not None:
        headers += ((b"retry-after", str(delay).encode()),)
    body = encode_status(build_status(error), head.answer_encoding)
    return Answer(status_codes(error).http, body, headers)


def _encoding(content_type: str) -> Encoding | None:
    """Return the encoding of a media type, ignoring case and parameters; ``None`` if unknown."""
    kind = content_type.partition(";")[0].strip().lower()
    return Encoding(kind) if kind in set(Encoding) else None


def _accepts_gzip(accept_encoding: str) -> bool:
    for entry in accept_encoding.lower().split(","):
        name, _, quality = entry.partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


async def read_body(
    head: RequestHead, receive: Receive, share: Reservation, limits: Limits
) -> bytes:
    """Return the complete body, still compressed; ``share`` grows as the body arrives.

    A body may take ``body_grace_s``, plus a second for each ``min_body_rate`` bytes received, but
    never longer than ``body_timeout_s``. Raises ``RequestTooLargeError``, ``OverloadedError``,
    ``HttpRefusalError`` (408) and ``ClientGoneError``.
    """
    limit = limits.max_request_bytes
    too_large = f"The request is larger than {limit} bytes: send smaller batches."
    if head.content_length > limit:
        raise RequestTooLargeError(too_large)
    chunks: list[bytes] = []
    size = 0
    began = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(began + _patience_s(0, limits)) as patience:
            async for chunk in _read_chunks(receive):
                size += len(chunk)
                if size > limit:
                    raise RequestTooLargeError(too_large)
                share.grow(len(chunk))
                chunks.append(chunk)
                patience.reschedule(began + _patience_s(size, limits))
    except TimeoutError:
        raise HttpRefusalError(
            408, Code.DEADLINE_EXCEEDED, "The body came too slowly.", CLOSE
        ) from None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _patience_s(size: int, limits: Limits) -> float:
    """Return the maximum seconds for the first ``size`` bytes of a body to arrive."""
    return min(limits.body_grace_s + size / limits.min_body_rate, limits.body_timeout_s)


async def _read_chunks(receive: Receive) -> AsyncIterator[bytes]:
    """Yield the body as it arrives; raises ``ClientGoneError`` if it ends early."""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGoneError
        more = message.get("more_body", False)
        if chunk := message.get("body", b""):
            yield chunk
