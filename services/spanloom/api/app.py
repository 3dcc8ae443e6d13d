"""Builds the HTTP API with all its routes and middleware; it reads from a given store."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from cachetools import cached
from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import GZipMiddleware

from spanloom import __version__
from spanloom.access.headers import Hosts
from spanloom.alerts.service import Alerts
from spanloom.annotation.services import Annotating
from spanloom.api import (
    alerts,
    changes,
    datasets,
    evaluators,
    experiments,
    imports,
    online_rules,
    saved_views,
)
from spanloom.api.admin import deletions, keys, projects, replays, service, snapshots
from spanloom.api.annotations import (
    agreement,
    exchange,
    potato,
    scores,
    trajectory_annotations,
    versions,
)
from spanloom.api.annotations import queues as annotation_queues
from spanloom.api.annotations import schemes as annotation_schemes
from spanloom.api.feed.feed import MOST_READERS, Feed
from spanloom.api.http.bounds import BodyBound, BoundedCalls
from spanloom.api.http.doorkeeper import Doorkeeper, guarded_routes
from spanloom.api.http.error_handlers import install_problem_handlers
from spanloom.api.http.gate import Gate
from spanloom.api.http.openapi import DESCRIPTION, install_openapi
from spanloom.api.http.problems import problem_responses
from spanloom.api.run_views import RunViews
from spanloom.api.runs import (
    conversation_pages,
    conversations,
    diffs,
    outlines,
    parts,
    steps,
    trajectories,
)
from spanloom.api.search import search
from spanloom.api.services import Services, ServingProcess
from spanloom.api.stats import compare, stats
from spanloom.datasets.service import Datasets
from spanloom.evaluators.service import Evaluators
from spanloom.experiments.service import Experiments
from spanloom.online.service import OnlineRules
from spanloom.saved_views.service import SavedViews

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.routing import BaseRoute

    from spanloom.access.authenticate import Access
    from spanloom.access.keys import KeyAdministration
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.metrics import Metrics

STORE_CALLS = 8
PROBES = 2
"""Threads for readiness checks only, so that slow lists never delay ``/readyz``."""
STORE_TIMEOUT_S = 10.0
IMPORT_CALLS = 4
"""Threads for imports, which wait for the reading process and for the disk."""
IMPORT_TIMEOUT_S = 900.0
"""Seconds; longer than the CPU time that the child process may use to read a file."""
SMALL_BYTES = 1_000
"""Smaller responses are sent uncompressed."""
GZIP_LEVEL = 1
"""Reduces a document to a fifth of its size, at six milliseconds per megabyte; level 9 takes four
times as long for little gain."""
GZIP_APART_BYTES = 64 * 1024
"""Larger responses are compressed in a thread, because that takes half a millisecond or more."""

_COMMON = problem_responses(421, 500)
_OF_TRAJECTORIES = (
    changes,  # before trajectories: {trace_id} matches its path too
    *(trajectories, outlines, versions, parts),
    conversation_pages,  # before conversations: {conversation_id:path} matches its path too
    *(diffs, conversations, stats, compare, steps, search, imports),
    *(trajectory_annotations, annotation_schemes, exchange),
    *(potato, agreement, annotation_queues, scores),
    *(datasets, evaluators, experiments, online_rules, alerts),
    *(saved_views, projects, replays, keys, deletions, snapshots),
)
"""Modules of routes that a process without the role ``api`` does not serve."""


def create_app(
    store: ReadingStore,
    metrics: Metrics,
    access: Access,
    process: ServingProcess | None = None,
    *,
    hosts: Sequence[str] = (),
    timeout_s: float = STORE_TIMEOUT_S,
    most_readers: int = MOST_READERS,
    alert_private: bool = False,
    others: Sequence[APIRouter] = (),
) -> FastAPI:
    """Return the API as an application that reads from ``store``.

    ``access`` authenticates callers and administers keys. ``hosts`` are accepted names in the
    ``Host`` header in addition to ``localhost`` and IP addresses (``*``: all). A store call times
    out after ``timeout_s`` seconds. At most ``most_readers`` follow the change feed at one time.
    With ``alert_private`` alerts may be sent to private addresses. ``others`` are further routers,
    whose routes declare the scopes that they need in the same way.
    """
    process = process or ServingProcess()
    services = _services_over(
        store,
        metrics,
        access.keys,
        process,
        timeout_s=timeout_s,
        most_readers=most_readers,
        alert_private=alert_private,
    )
    app = FastAPI(
        title="Spanloom",
        version=__version__,
        summary="Agent trajectories from OpenTelemetry spans",
        description=DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_url=None,  # a route of this API serves it, so that it is counted in the metrics
        docs_url=None,  # FastAPI's documentation pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
        lifespan=partial(_lifespan, services),
    )
    app.state.services = services
    rooms = (*(_OF_TRAJECTORIES if process.has_trajectories else ()), service)
    for room in rooms:
        app.router.routes.extend(_included(room.router))
    for router in others:  # including their lifespans
        app.include_router(router, responses=_COMMON)
    routes = guarded_routes([*(room.router for room in rooms), *others])
    app.add_middleware(BodyBound)
    app.add_middleware(Doorkeeper, authenticator=access.authenticator, routes=routes)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=SMALL_BYTES,
        compresslevel=GZIP_LEVEL,
        thread_minimum_size=GZIP_APART_BYTES,
    )
    app.add_middleware(Gate, metrics=metrics, hosts=Hosts(hosts), otlp_http=process.otlp_http)
    install_problem_handlers(app)
    install_openapi(app)
    return app


def _services_over(
    store: ReadingStore,
    metrics: Metrics,
    keys: KeyAdministration,
    process: ServingProcess,
    *,
    timeout_s: float,
    most_readers: int,
    alert_private: bool,
) -> Services:
    calls = BoundedCalls(STORE_CALLS, timeout_s)
    sets, judges = Datasets(store.datasets), Evaluators(store.evaluators)
    return Services(
        process=process,
        store=store,
        metrics=metrics,
        calls=calls,
        probes=BoundedCalls(PROBES, timeout_s),
        imports=BoundedCalls(IMPORT_CALLS, IMPORT_TIMEOUT_S),
        keys=keys,
        annotating=Annotating.over(store),
        feed=Feed(store.feed, store.runs, calls, metrics, most_readers),
        views=RunViews(store),
        saved_views=SavedViews(store.saved_views),
        datasets=sets,
        evaluators=judges,
        experiments=Experiments(store.experiments, store.runs, sets, judges),
        alerts=Alerts(store, allows_private=alert_private),
        online_rules=OnlineRules(store.online_rules, store.followers, store.feed),
    )


@asynccontextmanager
async def _lifespan(services: Services, _app: FastAPI) -> AsyncIterator[None]:
    yield
    await services.feed.close()
    for calls in (services.calls, services.imports, services.probes):
        calls.close()


@cached({}, key=id)
def _included(router: APIRouter) -> Sequence[BaseRoute]:
    """Return the routes of a router without a lifespan, with the responses that all routes share.

    FastAPI analyses a route for each inclusion, which takes longer than most tests of a route, so
    the apps of one process share one inclusion.
    """
    shared = APIRouter()
    shared.include_router(router, responses=_COMMON)
    return shared.routes
