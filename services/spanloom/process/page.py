"""The routes of the page in the browser: open to all, for what they give tells of no project."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from spanloom.api.http.needs import open_to_all
from spanloom.viewer.site import MODULES, PAGES, Site, own_site

if TYPE_CHECKING:
    from collections.abc import Callable


def page_router() -> APIRouter:
    """Return the pages and their modules, to be routes of the API; they need no key, it does."""
    site = own_site()
    router = APIRouter()

    @router.get(MODULES, include_in_schema=False)
    @open_to_all
    async def get_module(request: Request, version: str, name: str) -> Response:
        return site.module(request, version, name)

    for path in PAGES:
        router.get(path, include_in_schema=False)(open_to_all(_page(site, path)))
    return router


def open_page(address: str, *, open_in: Callable[[str], bool] = webbrowser.open) -> bool:
    """Open the page in the user's browser; return whether there is one."""
    try:
        return open_in(address)
    except webbrowser.Error:
        return False


def _page(site: Site, path: str) -> Callable[[], Response]:
    def get_page() -> Response:
        return site.page(path)

    return get_page
