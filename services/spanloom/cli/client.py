"""Asks a running service over HTTP; what goes wrong becomes one line for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click
import httpx
import orjson

from spanloom.terminal.values import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

DEFAULT_URL = "http://127.0.0.1:8080"
TIMEOUT_S = 30.0
PAGE = 1000

Command = TypeVar("Command", bound="Callable[..., Any]")


def to_url(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Give an address of the API without the slash that may end it; add ``http://``."""
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise click.BadParameter(f"{text!r} is no address; write it like {DEFAULT_URL}")
    return url.rstrip("/")


def api_url_option(command: Command) -> Command:
    """Add ``--api-url``, also read from ``SPANLOOM_API_URL``."""
    return click.option(
        "--api-url",
        metavar="URL",
        callback=to_url,
        envvar="SPANLOOM_API_URL",
        default=DEFAULT_URL,
        show_default=True,
        help="Where the service answers; also SPANLOOM_API_URL.",
    )(command)


class ApiClient:
    """The API, as far as the terminal needs it."""

    def __init__(self, url: str) -> None:
        """Name the service; nothing is asked yet."""
        self.url = url
        host = (urlsplit(url).hostname or "").lower()
        is_local = host == "localhost" or host.startswith("127.") or host == "::1"
        # A proxy from the environment cannot reach this machine's own loopback.
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=not is_local)

    def document(self, trace_id: str, project: str | None = None) -> bytes:
        """Give the canonical document."""
        return self._get(f"/v1/trajectories/{trace_id}", _named(project=project))

    def spans(self, trace_id: str, project: str | None = None) -> bytes:
        """Give what became of each span."""
        return self._get(f"/v1/trajectories/{trace_id}/spans", _named(project=project))

    def request_replay(self, **filters: str | None) -> dict[str, Any]:
        """Ask for a replay and give it."""
        body = self._ask("POST", "/v1/replays", _named(**filters))
        replay: dict[str, Any] = orjson.loads(body)
        return replay

    def replay(self, replay_id: str) -> dict[str, Any]:
        """Give a replay as it stands."""
        replay: dict[str, Any] = orjson.loads(self._get(f"/v1/replays/{replay_id}", {}))
        return replay

    def trajectories(self, limit: int, **filters: str | None) -> Iterator[dict[str, Any]]:
        """Give up to ``limit`` items of the list, page by page."""
        cursor: str | None = None
        while limit > 0:
            size = min(limit, PAGE)
            asked = _named(**filters, limit=str(size), cursor=cursor)
            page = orjson.loads(self._get("/v1/trajectories", asked))
            yield from page["items"]
            cursor = page["next_cursor"]
            limit = limit - size if cursor else 0

    def _get(self, path: str, params: Mapping[str, str]) -> bytes:
        return self._ask("GET", path, params)

    def _ask(self, method: str, path: str, params: Mapping[str, str]) -> bytes:
        try:
            response = self._http.request(method, path, params=params)
        except httpx.TimeoutException:
            raise click.ClickException(
                f"{self.url} did not answer within {TIMEOUT_S:g} s"
            ) from None
        except httpx.TransportError:
            raise click.ClickException(
                f"nothing answers at {self.url}; start it with `spanloom serve`, "
                "or name its address with --api-url"
            ) from None
        kind = response.headers.get("content-type", "")
        if response.status_code == httpx.codes.OK and kind == "application/json":
            return response.content
        if kind != "application/problem+json":
            raise click.ClickException(
                f"what answers at {self.url} is not Spanloom (HTTP {response.status_code})"
            )
        raise click.ClickException(printable(str(orjson.loads(response.content)["detail"])))


def _named(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
