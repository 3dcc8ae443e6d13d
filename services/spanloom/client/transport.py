"""One request over HTTP and its answer: what goes wrong becomes an exception of ``errors.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import httpx
import orjson

from spanloom.client.errors import (
    BY_STATUS,
    ApiError,
    Fault,
    NotSpanloomError,
    TimedOutError,
    UnreachableError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROBLEM = "application/problem+json"


class Tagged(NamedTuple):
    """A body, and the tag by which to ask whether there is another by now."""

    body: bytes
    etag: str


class Transport:
    """A connection to one service."""

    def __init__(
        self, url: str, api_key: str, timeout_s: float, transport: httpx.BaseTransport | None
    ) -> None:
        """Name the service; nothing is asked yet."""
        host = (urlsplit(url).hostname or "").lower()
        is_local = host == "localhost" or host.startswith("127.") or host == "::1"
        self._url = url
        self._timeout_s = timeout_s
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=timeout_s,
            transport=transport,
            # A proxy from the environment cannot reach this machine's own loopback.
            trust_env=not is_local,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, method: str, path: str, params: Mapping[str, str]) -> bytes:
        """Return the body of an answer 200; raises ``ClientError``."""
        return self._checked(self._request(method, path, params)).content

    def ask_again(self, path: str, params: Mapping[str, str], etag: str) -> Tagged | None:
        """Return the body if it is another than the one of the tag; raises ``ClientError``."""
        response = self._request("GET", path, params, {"If-None-Match": etag} if etag else {})
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return None
        return Tagged(self._checked(response).content, response.headers.get("etag", ""))

    def _request(
        self,
        method: str,
        path: str,
        params: Mapping[str, str],
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        try:
            return self._http.request(method, path, params=params, headers=headers)
        except httpx.TimeoutException:
            raise TimedOutError(
                f"{self._url} did not answer within {self._timeout_s:g} s"
            ) from None
        except httpx.TransportError:
            raise UnreachableError(f"nothing answers at {self._url}") from None

    def _checked(self, response: httpx.Response) -> httpx.Response:
        """Return the answer if it is one with a result; raises ``ClientError``."""
        kind = response.headers.get("content-type", "")
        if response.status_code == httpx.codes.OK and kind == "application/json":
            return response
        if kind == _PROBLEM and (problem := problem_of(response)) is not None:
            raise problem
        raise NotSpanloomError(
            f"what answers at {self._url} is not Spanloom (HTTP {response.status_code})"
        )


def problem_of(response: httpx.Response) -> ApiError | None:
    """Return the exception for a problem document; ``None`` if it is none."""
    retry_after = response.headers.get("retry-after", "")
    try:
        problem = orjson.loads(response.content)
        return BY_STATUS.get(response.status_code, ApiError)(
            response.status_code,
            str(problem["title"]),
            str(problem["detail"]),
            [Fault(str(e["parameter"]), str(e["detail"])) for e in problem.get("errors") or ()],
            float(retry_after) if retry_after.isdecimal() else None,
            problem.get("resume"),
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
