"""Routes about the service itself: health, readiness, metrics, version, diagnosis, OpenAPI."""

import os

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from spanloom import __version__
from spanloom.api.admin.examples import DESCRIPTION, DIAGNOSIS, HEALTH, METRICS, READINESS
from spanloom.api.http.needs import needs, open_to_all
from spanloom.api.http.problems import problem, problem_responses
from spanloom.api.schemas import Health, Readiness
from spanloom.api.services import Using
from spanloom.core.model.access import Scope
from spanloom.core.records.upkeep import Diagnosis, FindingItem, ServiceDescription

router = APIRouter(tags=["service"])


@router.get(
    "/livez",
    operation_id="getLiveness",
    summary="Check that the process works",
    responses={200: HEALTH},
)
@open_to_all
async def get_liveness() -> Health:
    """Answer 200 as long as the process can answer at all, whatever the state of the store."""
    return Health()


@router.get(
    "/healthz",
    operation_id="getHealth",
    summary="The same as /livez",
    responses={200: HEALTH},
)
@open_to_all
async def get_health() -> Health:
    """Answer 200 as long as the process can answer at all."""
    return Health()


@router.get(
    "/readyz",
    operation_id="getReadiness",
    summary="Check that the process is ready",
    responses={200: READINESS, **problem_responses(503)},
    response_model=Readiness,
)
@open_to_all
async def get_readiness(request: Request, using: Using) -> Readiness | Response:
    """Answer 503 with `reasons` while starting or stopping, or without what its role needs.

    The API needs the store; `spanloom collect` needs room in the spool. `degraded` is ready too:
    queries are answered, but requests of senders may be refused, or accepted spans may wait because
    the store cannot be written to.
    """
    reasons = list(await using.probes.run(using.process.ready))
    if not reasons:
        troubles = list(using.process.troubles())
        return Readiness(status="degraded" if troubles else "ok", reasons=troubles)
    detail = "; ".join(reasons)
    retry = {"Retry-After": "1"}
    return problem(request.url.path, 503, detail, retry, reasons=reasons)


@router.get(
    "/metrics",
    operation_id="getMetrics",
    summary="Get metrics for Prometheus",
    response_class=Response,
    responses={200: METRICS, **problem_responses(401, 403, 503)},
)
@needs(Scope.READ, all_projects=True)
async def get_metrics(using: Using) -> Response:
    """Return every metric of this process in the Prometheus text format.

    They cover all projects, so the key must have access to all of them.
    """
    return Response(using.metrics.render(), media_type=CONTENT_TYPE_PLAIN_0_0_4)


@router.get(
    "/v1/service",
    operation_id="getService",
    summary="Get the version and the ports of the service",
    responses={200: DESCRIPTION, **problem_responses(401, 403, 503)},
)
@needs(Scope.READ)
async def get_service(using: Using) -> ServiceDescription:
    """Return the version, and the ports of SQL and OTLP on which this process listens."""
    ports = using.process.ports()
    return ServiceDescription(
        version=__version__,
        sql_port=using.process.sql_port,
        otlp_http_port=ports.get("otlp_http"),
        otlp_grpc_port=ports.get("otlp_grpc"),
    )


@router.get(
    "/v1/doctor",
    operation_id="getDiagnosis",
    summary="Find problems of the service, with remedies",
    responses={200: DIAGNOSIS, **problem_responses(401, 403, 503)},
)
@needs(Scope.ADMIN, all_projects=True)
async def get_diagnosis(using: Using) -> Diagnosis:
    """Examine this process and its store; `spanloom doctor` adds the findings to its own.

    Checks of files in the data directory are `skipped` here. It covers all projects.
    """
    findings = await using.calls.run(using.process.examine)
    items = list(map(FindingItem.made_of, findings))
    return Diagnosis(version=__version__, pid=os.getpid(), findings=items)


@router.get("/openapi.json", include_in_schema=False)
@open_to_all
async def get_openapi(request: Request) -> Response:
    """Describe this API."""
    return JSONResponse(request.app.openapi())
