"""Builds the servers that answer readers: the API with page and MCP, and the SQL port."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spanloom.access.headers import Hosts
from spanloom.api.app import create_app as create_api
from spanloom.api.services import ServingProcess
from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.extract import EXTRACTOR_VERSION
from spanloom.core.model.access import Reach
from spanloom.process.addresses import sql_url
from spanloom.process.options import sql_limits_of
from spanloom.process.page import open_mcp_door, page_router
from spanloom.process.roles import Role
from spanloom.process.self_examination import SelfExamination
from spanloom.process.serving import HttpServer
from spanloom.sql.door import SqlDoor
from spanloom.sql.reader import Reader
from spanloom.storage.engine.connect import store_path
from spanloom.storage.sql import EmbeddedSql

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection, Sequence

    from fastapi import APIRouter

    from spanloom.access.limits import LimitsByProject
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.core.ports.annotations import QueueReader
    from spanloom.core.ports.store import Store
    from spanloom.mcp.server import McpEndpoint
    from spanloom.process.imports.importer import FileImporter
    from spanloom.process.shared import Shared
    from spanloom.process.supervisor import Part


def build_api(
    shared: Shared,
    store: Store,
    listener: socket.socket,
    sql_listener: socket.socket | None,
    *,
    otlp_http: str,
    importer: FileImporter | None,
    by_project: LimitsByProject | None,
    retention: Callable[[], RetentionPlan | None],
) -> Part:
    """Return the server of the API.

    ``otlp_http`` is the URL of this process's HTTP receiver, empty without one.
    """
    settings, supervisor = shared.settings, shared.supervisor
    door = open_mcp_door(sql_url(settings, sql_listener)) if settings.mcp else None
    process = ServingProcess(
        ready=shared.readiness.reasons,
        troubles=supervisor.troubles,
        examine=SelfExamination(settings, supervisor, shared.access.keys.list),
        retention=retention,
        limits_of=by_project.of if by_project else None,
        ports=supervisor.ports,
        sql_port=sql_listener.getsockname()[1] if sql_listener else None,
        otlp_http=otlp_http,
        importer=importer,
        extractor_version=EXTRACTOR_VERSION,
        has_trajectories=Role.API in shared.roles,
        has_search=not settings.no_search,
    )
    app = create_api(
        store,
        shared.metrics,
        shared.access,
        process,
        hosts=settings.api_hosts.split(","),
        alert_private=settings.alert_private,
        others=_other_routes(shared.roles, door),
    )
    if door is not None:
        door.use_api(app)
    context = shared.tls.http_context(ask_clients=False) if shared.tls else None
    return HttpServer(app, listener, "api", context, app.state.services.feed.stop)


def _other_routes(roles: Role, door: McpEndpoint | None) -> Sequence[APIRouter]:
    """Return the routes in addition to the API: the MCP endpoint and the page."""
    page = [page_router()] if Role.API in roles else []
    return page if door is None else [door.router(), *page]


def build_sql(shared: Shared, queues: QueueReader, listener: socket.socket) -> Part:
    """Return the server of the SQL port, which withholds what ``queues`` do not show yet."""
    settings = shared.settings
    engine = EmbeddedSql(store_path(settings.resolved_store_url))
    shared.supervisor.at_end(engine.close)
    door = SqlDoor(
        Reader(engine, sql_limits_of(settings), partial(_withheld, queues)),
        shared.access.authenticator,
        Hosts(settings.api_hosts.split(",")),
        shared.metrics,
        at_a_time=settings.sql_queries,
    )
    context = shared.tls.http_context(ask_clients=False) if shared.tls else None
    return HttpServer(door, listener, "sql", context, door.end)


def _withheld(queues: QueueReader, project: str | None) -> Collection[tuple[str, str]]:
    """Return project and id of the traces whose annotations and scores are not yet visible."""
    return withheld_from_all(queues, Reach.ALL if project is None else Reach.only(project))
