"""A test client of an application on which a request takes one step between threads.

Starlette's goes from thread to thread nine times for each request, because it streams every
response. Responses that a test asks for with ``stream`` are still Starlette's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.testclient import TestClient as StreamingClient
from starlette import testclient

if TYPE_CHECKING:
    from collections.abc import Callable

http: Any = vars(testclient)["httpx"]  # the library that Starlette's client is of
IS_WHOLE = "is_whole"


class Transport(http.BaseTransport):  # type: ignore[misc]  # of either library
    """Hands requests to a function."""

    def __init__(self, handle: Callable[[Any], Any]) -> None:
        self.handle_request = handle


class TestClient(StreamingClient):
    """Starlette's client; ``get``, ``post`` and the like wait for the whole response."""

    def __init__(self, app: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(app, *arguments, **options)
        streaming = self._transport.handle_request
        whole = http.ASGITransport(app, client=("testclient", 50_000))
        self._transport = Transport(lambda request: self._handle(request, whole, streaming))

    def send(self, request: Any, *, stream: bool = False, **how: Any) -> Any:
        """Send a request, and note whether its response is streamed."""
        request.extensions = {**request.extensions, IS_WHOLE: not stream}
        return super().send(request, stream=stream, **how)

    def _handle(self, request: Any, whole: Any, streaming: Callable[[Any], Any]) -> Any:
        is_known = isinstance(request.stream, http.AsyncByteStream)  # else parts, made meanwhile
        if self.portal and is_known and request.extensions[IS_WHOLE]:
            return self.portal.call(_handle_whole, whole, request)
        return streaming(request)


async def _handle_whole(whole: Any, request: Any) -> Any:
    """Return the response with all of its body."""
    response = await whole.handle_async_request(request)
    body = b"".join([part async for part in response.stream])
    return http.Response(
        response.status_code, headers=response.headers.raw, stream=http.ByteStream(body)
    )
