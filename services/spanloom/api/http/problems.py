"""Errors as ``application/problem+json`` (RFC 9457), and their description for OpenAPI."""

from http import HTTPStatus
from typing import Annotated, Any

import orjson
from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field

MEDIA_TYPE = "application/problem+json"


class InvalidInput(BaseModel):
    """One parameter that cannot be used."""

    parameter: Annotated[str, Field(description="Its name.")]
    detail: Annotated[str, Field(description="What is wrong with it.")]
    position: Annotated[
        int | None, Field(description="The position in it, in code points from 0.")
    ] = None
    length: Annotated[int | None, Field(description="Length in code points.")] = None
    message: Annotated[str | None, Field(description="The same as `detail`.")] = None
    did_you_mean: Annotated[
        list[str] | None, Field(description="Values similar to the wrong one.")
    ] = None
    expected: Annotated[
        list[str] | None, Field(description="Values that are valid at this position.")
    ] = None


class Problem(BaseModel):
    """An error as RFC 9457 describes it."""

    model_config = ConfigDict(title="Problem")

    type: Annotated[
        str, Field(description="Always `about:blank`: only `status` identifies the error.")
    ]
    title: Annotated[str, Field(description="The status in words.")]
    status: Annotated[int, Field(description="The HTTP status.")]
    detail: Annotated[str, Field(description="What went wrong and what to do.")]
    instance: Annotated[str, Field(description="The path of the request.")]
    errors: Annotated[
        list[InvalidInput] | None, Field(description="Of 422: each parameter at fault.")
    ] = None
    available: Annotated[
        list[str] | None, Field(description="Of 406: the available media types.")
    ] = None
    reason: Annotated[
        str | None,
        Field(description="Of 406 for a run: the code that says why `format` cannot hold it."),
    ] = None
    reasons: Annotated[
        list[str] | None, Field(description="Of 503 from `/readyz`: what is not ready.")
    ] = None
    current: Annotated[
        list[dict[str, Any]] | None,
        Field(description="Of 409 to a write: the rows as they are now."),
    ] = None
    resume: Annotated[
        str | None,
        Field(description="Of 410: pass it as `after` once you have listed everything."),
    ] = None


def problem(
    path: str,
    status: int,
    detail: str,
    headers: dict[str, str] | None = None,
    **extensions: Any,  # any JSON value
) -> Response:
    """Return a problem document as a response; ``extensions`` become further members."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": path,
        **extensions,
    }
    return Response(orjson.dumps(document), status, headers, MEDIA_TYPE)


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe, for OpenAPI, the problem documents that an operation may return."""
    return {status: _described(status) for status in statuses}


def store_problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """Describe the problem documents of an operation on the store, and of further statuses."""
    return problem_responses(*sorted({*_OF_THE_STORE, *more}))


_OF_THE_STORE = (401, 403, 422, 503)
_MEANINGS = {
    401: "A key is missing, wrong, revoked or expired.",
    403: "The key has no access to this, or a web page requested a change.",
    404: "There is no such trajectory, conversation, replay, scheme, queue, view, dataset, "
    "evaluator, experiment, online rule, alert or key.",
    406: "`Accept` has no available form of rows, `available` lists them; or the `format` cannot "
    "hold the run, `reason` says why.",
    409: "It cannot be done now: changed elsewhere, or not by this store.",
    410: "The change feed does not reach back that far; continue from `resume` after a full list.",
    408: "The body came too slowly.",
    413: "The body is larger than the limit.",
    421: "The `Host` header names a host that this service does not answer for.",
    422: "A parameter cannot be used; `errors` says which and why.",
    500: "Internal error; the service's log has the details.",
    501: "Not available in this process: it runs with `--no-search`, or receives no spans.",
    503: "The store does not answer at the moment; retry after `Retry-After` seconds.",
}


def _described(status: int) -> dict[str, Any]:
    example = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _MEANINGS[status],
        "instance": "/v1/trajectories",
    }
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}
    described: dict[str, Any] = {
        "description": _MEANINGS[status],
        "content": {MEDIA_TYPE: content},
    }
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        described["headers"] = {
            "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}
        }
    return described
