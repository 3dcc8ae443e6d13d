"""Builds the HTTP API with all its routes and middleware; it reads from a given store."""

from __future__ import annotations

from contextlib import asynccontextmanager
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
from spanloom.api.services import Services
from spanloom.api.stats import compare, stats
from spanloom.datasets.service import Datasets
from spanloom.evaluators.service import Evaluators
from spanloom.experiments.service import Experiments
from spanloom.online.service import OnlineRules
from spanloom.saved_views.service import SavedViews

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from starlette.routing import BaseRoute

    from spanloom.access.authenticate import Access
    from spanloom.access.limits import LimitsOf
    from spanloom.core.model.diagnosis import Finding
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.core.ports.importing import Importer
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


def create_app(
    store: ReadingStore,
    metrics: Metrics,
    ready: Callable[[], Sequence[str]],
    access: Access,
    *,
    hosts: Sequence[str] = (),
    has_trajectories: bool = True,
    has_search: bool = True,
    timeout_s: float = STORE_TIMEOUT_S,
    extractor_version: str = "",
    troubles: Callable[[], Sequence[str]] = tuple,
    examine: Callable[[], Sequence[Finding]] = tuple,
    retention: Callable[[], RetentionPlan | None] = lambda: None,
    limits_of: LimitsOf | None = None,
    most_readers: int = MOST_READERS,
    sql_port: int | None = None,
    otlp_http: str = "",
    ports: Callable[[], Mapping[str, int]] = dict,
    importer: Importer | None = None,
    alert_private: bool = False,
    others: Sequence[APIRouter] = (),
) -> FastAPI:
    """Return the API as an application that reads from ``store``.

    ``access`` authenticates callers and administers keys. ``ready`` returns the reasons for not
    being ready; it may block. ``troubles`` returns current degradations of a ready process.
    ``hosts`` are accepted names in the ``Host`` header in addition to ``localhost`` and IP
    addresses (``*``: all). If ``has_trajectories`` is false, only the routes of ``admin.service``
    are served (for processes with a single role). ``has_search`` is false if texts cannot be
    searched. A store call times out after ``timeout_s`` seconds. Trajectories of another
    ``extractor_version`` are outdated. ``examine`` returns the findings of a self-check; it may
    block. ``retention`` and ``limits_of`` return the retention and the limits of projects, in a
    process that applies them. At most ``most_readers`` follow the change feed at one time.
    ``sql_port`` is the SQL port of this process, ``otlp_http`` the address at which it receives
    spans; ``ports`` returns the ports of all its components by name. ``importer`` stores imported
    files; by default imports are refused. With ``alert_private`` alerts may be sent to private
    addresses. ``others`` are further routers, whose routes declare the scopes that they need in the
    same way.
    """
    calls = BoundedCalls(STORE_CALLS, timeout_s)
    probes = BoundedCalls(PROBES, timeout_s)
    imported = BoundedCalls(IMPORT_CALLS, IMPORT_TIMEOUT_S)
    feed = Feed(store.feed, store.runs, calls, metrics, most_readers)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await feed.close()
        calls.close()
        imported.close()
        probes.close()

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
        lifespan=lifespan,
    )
    sets, judges = Datasets(store.datasets), Evaluators(store.evaluators)
    app.state.services = Services(
        store,
        metrics,
        ready,
        troubles,
        calls,
        probes,
        imported,
        extractor_version,
        access.keys,
        Annotating.over(store),
        feed,
        RunViews(store),
        SavedViews(store.saved_views),
        sets,
        judges,
        Experiments(store.experiments, store.runs, sets, judges),
        Alerts(store, allows_private=alert_private),
        OnlineRules(store.online_rules, store.followers, store.feed),
        examine,
        retention,
        limits_of,
        has_search=has_search,
        sql_port=sql_port,
        ports=ports,
        importer=importer,
    )
    of_trajectories = (
        changes,  # before trajectories: {trace_id} matches its path too
        *(trajectories, outlines, versions, parts),
        conversation_pages,  # before conversations: {conversation_id:path} matches its path too
        *(diffs, conversations, stats, compare, steps, search, imports),
        *(trajectory_annotations, annotation_schemes, exchange),
        *(potato, agreement, annotation_queues, scores),
        *(datasets, evaluators, experiments, online_rules, alerts),
        *(saved_views, projects, replays, keys, deletions, snapshots),
    )
    rooms = (*(of_trajectories if has_trajectories else ()), service)
    for room in rooms:
        app.router.routes.extend(_included(room.router))
    for router in others:  # including their lifespans
        app.include_router(router, responses=_COMMON)
    routers = [*(room.router for room in rooms), *others]
    app.add_middleware(BodyBound)
    app.add_middleware(
        Doorkeeper, authenticator=access.authenticator, routes=guarded_routes(routers)
    )
    app.add_middleware(
        GZipMiddleware,
        minimum_size=SMALL_BYTES,
        compresslevel=GZIP_LEVEL,
        thread_minimum_size=GZIP_APART_BYTES,
    )
    app.add_middleware(Gate, metrics=metrics, hosts=Hosts(hosts), otlp_http=otlp_http)
    install_problem_handlers(app)
    install_openapi(app)
    return app


@cached({}, key=id)
def _included(router: APIRouter) -> Sequence[BaseRoute]:
    """Return the routes of a router without a lifespan, with the responses that all routes share.

    FastAPI analyses a route for each inclusion, which takes longer than most tests of a route, so
    the apps of one process share one inclusion.
    """
    shared = APIRouter()
    shared.include_router(router, responses=_COMMON)
    return shared.routes
