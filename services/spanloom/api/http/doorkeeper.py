"""Authenticates requests, checks the scope that a route needs, and limits requests to projects."""

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from spanloom.access.authenticate import Authenticator, require
from spanloom.access.keys import CHALLENGE
from spanloom.api.http.needs import Needs, needs_of
from spanloom.api.http.problems import problem
from spanloom.core.errors import KeysUnknownError, PermissionDeniedError, UnauthenticatedError
from spanloom.core.model.access import ALL_PROJECTS, Caller, Reach
from spanloom.core.model.access import Scope as AccessScope

_CALLER = "spanloom.caller"
_READING = frozenset({"GET", "HEAD"})
FILE = "application/octet-stream"
"""The media type of a file that a page sends."""
JSON = "application/json"
_OF_PAGES = {AccessScope.ANNOTATE: JSON, AccessScope.INGEST: FILE}
"""Scope of the routes to which Spanloom's own page may write → media type of its requests."""


class GuardedRoute(NamedTuple):
    """A route and what it needs."""

    route: APIRoute
    needs: Needs


def guarded_routes(routers: Iterable[APIRouter]) -> Sequence[GuardedRoute]:
    """Return every route of the routers.

    Raises ``TypeError`` for a route that declares no needs.
    """
    routes = [route for router in routers for route in router.routes]
    return [_guarded(route) for route in routes]


def caller_of(request: Request) -> Caller:
    """Return the authenticated caller of a request; only on routes that need a key."""
    caller: Caller = request.scope[_CALLER]
    return caller


class Doorkeeper:
    """The middleware inside ``Gate``: authenticates, and checks what the route needs."""

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, routes: Sequence[GuardedRoute]
    ) -> None:
        """Wrap an application that serves these routes."""
        self._app = app
        self._authenticator = authenticator
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401, 403, 404, 405 or 503."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the refusal if a request is refused; otherwise store the caller in ``scope``."""
        found, methods = self._find(scope)
        path: str = scope["path"]
        if found and found.needs.scope is None:
            return None
        try:
            caller = self._authenticate(scope)
            if found:
                _check(caller, found.needs, scope)
        except KeysUnknownError as error:
            return problem(path, 503, str(error), {"Retry-After": f"{error.retry_after_s:.0f}"})
        except UnauthenticatedError as error:
            return problem(path, 401, str(error), {"WWW-Authenticate": CHALLENGE})
        except PermissionDeniedError as error:
            return problem(path, 403, str(error))
        scope[_CALLER] = caller
        return None if found else _no_route(path, methods)

    def _find(self, scope: Scope) -> tuple[GuardedRoute | None, set[str]]:
        """Return the route, or ``None`` and the methods that the path allows."""
        methods: set[str] = set()
        for guarded in self._routes:
            match, _ = guarded.route.matches(scope)
            if match is Match.FULL:
                return guarded, methods
            if match is Match.PARTIAL:
                scope["route"] = guarded.route  # label of the request metrics in Gate
                methods |= guarded.route.methods or set()
        return None, methods

    def _authenticate(self, scope: Scope) -> Caller:
        headers = ((n.decode("latin-1"), v.decode("latin-1")) for n, v in scope["headers"])
        return self._authenticator.authenticate(headers, scope["query_string"].decode("latin-1"))


def _guarded(route: BaseRoute) -> GuardedRoute:
    if not isinstance(route, APIRoute):
        raise TypeError(f"{route} is no route that could declare a scope")
    return GuardedRoute(route, needs_of(route.endpoint))


def _check(caller: Caller, needs: Needs, scope: Scope) -> None:
    if scope["method"] not in _READING and (origin := Headers(scope=scope).get("origin")):
        _check_page(origin, needs, scope)
    if needs.scope is not None:
        require(caller, needs.scope)
    if needs.all_projects and caller.project != ALL_PROJECTS:
        raise PermissionDeniedError(
            f"The key {caller.key_id} opens one project, and this tells of all; "
            "`spanloom keys create --all-projects` makes one that does."
        )


def _check_page(origin: str, needs: Needs, scope: Scope) -> None:
    """Raise ``PermissionDeniedError`` unless Spanloom's own page may send the request.

    The page may send annotations, files, and JSON to routes that declare ``is_of_page``.

    Host and port are compared, not the scheme, which differs if a proxy terminates TLS. A page of
    another origin can send neither media type without a CORS preflight, which is never granted.
    """
    headers = Headers(scope=scope)
    needed = JSON if needs.is_of_page else _OF_PAGES.get(needs.scope) if needs.scope else None
    if needed is None:
        raise PermissionDeniedError("Nothing is changed on behalf of a web page.")
    is_own = origin.partition("://")[2] == headers.get("host", "")
    if not is_own or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise PermissionDeniedError("Nothing is changed on behalf of a page from elsewhere.")
    sent = headers.get("content-type", "").partition(";")[0].strip()
    if sent != needed and (sent or needed == FILE):
        raise PermissionDeniedError(f"A page sends this as {needed}.")


def _no_route(path: str, methods: set[str]) -> Response:
    if methods:
        allowed = ", ".join(sorted(methods))
        detail = f"This path takes another method: {allowed}."
        return problem(path, 405, detail, {"Allow": allowed})
    return problem(path, 404, "There is no such path; /openapi.json lists all paths.")


async def reach_of(request: Request) -> Reach:  # FastAPI calls a plain function in a thread
    """Return the projects that the caller's key may access; routes narrow it by ``project``."""
    project = caller_of(request).project
    return Reach.ALL if project == ALL_PROJECTS else Reach.only(project)


CallersReach = Annotated[Reach, Depends(reach_of)]
"""The reach of the caller, as a parameter of a route."""
