"""Routes in addition to the API: the web page, without a key, and MCP, loaded on demand."""

from __future__ import annotations

import time
import webbrowser
from typing import TYPE_CHECKING

import orjson
from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import Match

from spanloom.api.http.needs import open_to_all
from spanloom.config.loading import OptionError
from spanloom.demo.examples import make_examples
from spanloom.recipes import read_frameworks, recipe_as_json
from spanloom.viewer.site import HEADERS, MODULES, PAGES, Site, own_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Scope

    from spanloom.mcp.server import McpEndpoint

_NO_PAGES = ("/v1/", "/ui/")
RECIPES, EXAMPLES = "/ui/recipes", "/ui/examples"
ENDPOINT = "{endpoint}"
"""Placeholder in recipes, which the page replaces by the endpoint for the browser's host."""


def page_router() -> APIRouter:
    """Return the routes of the pages and their modules, which need no key, unlike the API."""
    site = own_site()
    router = APIRouter()

    @router.get(MODULES, include_in_schema=False)
    @open_to_all
    async def get_module(request: Request, version: str, name: str) -> Response:
        return site.module(request, version, name)

    router.get(RECIPES, include_in_schema=False)(open_to_all(get_recipes))
    router.get(EXAMPLES, include_in_schema=False)(open_to_all(get_examples))
    for path in PAGES:
        router.get(path, include_in_schema=False)(open_to_all(_page(site, path)))

    @open_to_all
    async def get_nowhere() -> Response:
        return site.nowhere()

    router.routes.append(Nowhere("/{path:path}", get_nowhere, include_in_schema=False))
    return router


class Nowhere(APIRoute):
    """The last route: serves an error page for an unknown path, to browsers only."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match if a browser requests a path outside the API."""
        match, child = super().matches(scope)
        is_opened = "text/html" in Headers(scope=scope).get("accept", "")
        if match is Match.FULL and is_opened and not scope["path"].startswith(_NO_PAGES):
            return match, child
        return Match.NONE, {}


def get_recipes() -> Response:
    """Return the recommended recipe of each framework, with a placeholder for the endpoint."""
    frameworks = read_frameworks(ENDPOINT)
    items = [recipe_as_json(one, one.recipes[0]) for one in frameworks]
    return _json({"items": items})


def get_examples() -> Response:
    """Return the example runs as OTLP JSON, with times up to now."""
    items = [
        {"trace_id": one.trace_id, "resourceSpans": [orjson.Fragment(g) for g in one.groups]}
        for one in make_examples(time.time_ns())
    ]
    return _json({"items": items})


def _json(document: object) -> Response:
    headers = {**HEADERS, "Cache-Control": "no-cache"}
    return Response(orjson.dumps(document), headers=headers, media_type="application/json")


def open_page(address: str, *, open_in: Callable[[str], bool] = webbrowser.open) -> bool:
    """Open the page in the user's browser; return whether that worked."""
    try:
        return open_in(address)
    except webbrowser.Error:
        return False


def _page(site: Site, path: str) -> Callable[[], Response]:
    def get_page() -> Response:
        return site.page(path)

    return get_page


def open_mcp_door(sql_url: str | None) -> McpEndpoint:
    """Return the endpoint at ``/mcp``, with SQL if ``sql_url`` is set.

    Raises ``OptionError`` if the library is not installed.
    """
    try:
        from spanloom.mcp.server import McpEndpoint  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise OptionError(
            "--mcp needs the MCP library: pip install 'spanloom[mcp]', or leave the option out"
        ) from error
    return McpEndpoint(sql_url)
