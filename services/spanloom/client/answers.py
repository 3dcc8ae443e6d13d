"""Turns a reply into the result, or into the matching exception of ``errors.py``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.client.errors import (
    BY_STATUS,
    ApiError,
    ClientError,
    Fault,
    NotSpanloomError,
    QueryError,
)
from spanloom.client.request import NOT_MODIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.client.request import Reply, Request

PROBLEM = "application/problem+json"
WHERE = "where"
"""The parameter that holds a query: its faults have places, as do those of `fields`."""


def settle(outcome: Reply | ClientError, request: Request, url: str) -> Reply:
    """Return the reply if the request expects its status and type; else raise ``ClientError``."""
    if isinstance(outcome, ClientError):
        raise outcome
    kind = outcome.media_type
    if outcome.status in request.expected and (
        outcome.status == NOT_MODIFIED
        or kind in {request.media_type, request.or_media_type or PROBLEM, PROBLEM}
    ):
        return outcome
    if kind == PROBLEM and (problem := problem_of(outcome, request)) is not None:
        raise problem
    raise NotSpanloomError(f"what answers at {url} is not Spanloom (HTTP {outcome.status})")


@contextmanager
def reading_from(url: str) -> Iterator[None]:
    """Turn exceptions raised while a reply is parsed into ``NotSpanloomError``."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise NotSpanloomError(
            f"what answers at {url} answers otherwise than Spanloom: {error}"
        ) from error


def problem_of(reply: Reply, request: Request) -> ApiError | None:
    """Return the exception for a problem document; ``None`` if the body is not one."""
    try:
        problem = orjson.loads(reply.body)
        told = str(problem["title"]), str(problem["detail"])
        faults = [_fault(error) for error in problem.get("errors") or ()]
        resume = problem.get("resume")
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    kind = BY_STATUS.get(reply.status, ApiError)
    placed = [f.parameter for f in faults if f.position is not None or f.parameter == WHERE]
    if queries := {name: sent for name in placed if (sent := _sent(request, name)) is not None}:
        return QueryError(queries, reply.status, *told, faults, reply.retry_after_s)
    return kind(reply.status, *told, faults, reply.retry_after_s, resume)


def _fault(error: Mapping[str, Any]) -> Fault:  # as JSON has it
    """Parse one fault; faults of a query also have a place, a message and suggestions."""
    position = error.get("position")
    return Fault(
        str(error.get("parameter") or error["param"]),
        str(error.get("message") or error["detail"]),
        position if isinstance(position, int) else None,
        int(error.get("length") or 1),
        tuple(map(str, error.get("did_you_mean") or ())),
    )


def _sent(request: Request, parameter: str) -> str | None:
    """Return a parameter as it was sent, in the URL or in the body; ``None`` if it was not sent."""
    if request.body:
        sent = orjson.loads(request.body).get(parameter)
        return None if sent is None else str(sent)
    return request.params.get(parameter)
