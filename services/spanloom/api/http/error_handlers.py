"""Answers errors of routes and of the framework with problem documents.

The only module that maps exceptions to HTTP statuses of the API.
"""

from collections.abc import Mapping, Sequence
from math import ceil

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from spanloom.annotation.entries import write_row
from spanloom.annotation.requests import InvalidWritesError, WriteConflictError
from spanloom.api.http.accept import NotAcceptableError
from spanloom.api.http.problems import problem
from spanloom.core.annotation.yaml_tree import SchemeError
from spanloom.core.errors import (
    ConflictError,
    InvalidQueryError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RetryableError,
)
from spanloom.core.formats.losses import NotHeldError
from spanloom.core.ports.feed import PositionGoneError
from spanloom.core.query.feed_tokens import encode_token
from spanloom.core.query.where.problems import InvalidTextsError
from spanloom.core.records.saved_view import ViewItem
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.files.config.text import ConfigError
from spanloom.saved_views.service import ViewRefusedError


def install_problem_handlers(app: FastAPI) -> None:
    """Answer known errors of routes and of the framework with a problem document.

    Unexpected errors are left to ``Gate``, which logs them and returns 500.
    """
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_input)
    app.add_exception_handler(InvalidTextsError, _on_invalid_texts)
    app.add_exception_handler(InvalidQueryError, _on_invalid_query)
    app.add_exception_handler(InvalidRequestError, _on_invalid_request)
    app.add_exception_handler(NotAcceptableError, _on_not_acceptable)
    app.add_exception_handler(NotHeldError, _on_not_held)
    app.add_exception_handler(RetryableError, _on_retryable)
    app.add_exception_handler(PermissionDeniedError, _on_permission_denied)
    app.add_exception_handler(NotFoundError, _on_unknown)
    app.add_exception_handler(ConflictError, _on_conflict)
    app.add_exception_handler(PositionGoneError, _on_position_gone)
    app.add_exception_handler(InvalidWritesError, _on_invalid_writes)
    app.add_exception_handler(SchemeError, _on_invalid_scheme)
    app.add_exception_handler(WriteConflictError, _on_write_conflict)
    app.add_exception_handler(ConfigError, _on_invalid_config)
    app.add_exception_handler(InvalidEvaluatorError, _on_invalid_evaluator)
    app.add_exception_handler(ViewRefusedError, _on_view_refused)


def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # as registered
    if (error.status_code, error.detail) == _UNREADABLE:
        return _refuse(request, [{"parameter": "body", "detail": "It is not JSON in UTF-8."}])
    detail = _FRAMEWORK_DETAILS.get((error.status_code, error.detail), error.detail)
    return problem(request.url.path, error.status_code, detail, dict(error.headers or {}))


def _on_invalid_input(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101  # as registered
    return _refuse(
        request,
        [
            {"parameter": _named(e["loc"]), "detail": e["msg"].removeprefix("Value error, ")}
            for e in error.errors()
        ],
    )


def _refuse(request: Request, errors: Sequence[Mapping[str, str]]) -> Response:
    detail = "; ".join(f"{e['parameter']}: {e['detail']}" for e in errors)
    return problem(request.url.path, 422, detail, errors=errors)


_TYPES = frozenset({"bool", "float", "int", "none", "str"})
"""Names of types, which pydantic adds to the location of a value with several allowed types."""


def _named(loc: Sequence[str | int]) -> str:
    """Return the name of a parameter, or of a member of a row, otherwise its location.

    ``("body", "scopes", 0)``: ``scopes``; ``("body", "items", 0, "author")``: ``items[0].author``;
    ``("body", "a", "where")``: ``a.where``.
    """
    match loc[1:]:
        case [str(name), str(member), *_] if member.isidentifier() and member not in _TYPES:
            return f"{name}.{member}"
        case [str(name), int(row), str(member), *_]:
            return f"{name}[{row}].{member}"
        case _:
            return next((part for part in loc[1:] if isinstance(part, str)), str(loc[0]))


def _on_invalid_texts(request: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidTextsError)  # noqa: S101  # as registered
    errors = [
        {"parameter": text.parameter, "detail": found.message, **found._asdict()}
        for text in error.texts
        for found in text.problems
    ]
    return problem(request.url.path, 422, str(error), errors=errors)


def _on_invalid_query(request: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidQueryError)  # noqa: S101  # as registered
    if not error.parameter:
        return problem(request.url.path, 422, str(error))
    return _refuse(request, [{"parameter": error.parameter, "detail": error.detail}])


def _on_invalid_request(request: Request, error: Exception) -> Response:
    return problem(request.url.path, 422, str(error))


def _on_not_acceptable(request: Request, error: Exception) -> Response:
    assert isinstance(error, NotAcceptableError)  # noqa: S101  # as registered
    return problem(request.url.path, 406, str(error), available=error.available)


def _on_not_held(request: Request, error: Exception) -> Response:
    assert isinstance(error, NotHeldError)  # noqa: S101  # as registered
    detail = f"This format cannot hold the run: {error}."
    return problem(request.url.path, 406, detail, reason=str(error.code))


def _on_permission_denied(request: Request, error: Exception) -> Response:
    return problem(request.url.path, 403, str(error))


def _on_conflict(request: Request, error: Exception) -> Response:
    return problem(request.url.path, 409, str(error))


def _on_position_gone(request: Request, error: Exception) -> Response:
    assert isinstance(error, PositionGoneError)  # noqa: S101  # as registered
    return problem(request.url.path, 410, str(error), resume=encode_token(error.end))


def _on_invalid_writes(request: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidWritesError)  # noqa: S101  # as registered
    found = [
        {"parameter": f"items[{p.place}].{p.field}", "detail": p.reason} for p in error.problems
    ]
    return _refuse(request, found)


def _on_invalid_scheme(request: Request, error: Exception) -> Response:
    assert isinstance(error, SchemeError)  # noqa: S101  # as registered
    return _refuse(
        request,
        [
            {"parameter": "text", "detail": f"line {r.line}: {r.key}: {r.reason}"}
            for r in error.remarks
        ],
    )


def _on_invalid_evaluator(request: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidEvaluatorError)  # noqa: S101  # as registered
    return _refuse(request, [{"parameter": error.key, "detail": error.reason}])


def _on_invalid_config(request: Request, error: Exception) -> Response:
    assert isinstance(error, ConfigError)  # noqa: S101  # as registered
    found = [{"parameter": f.key, "detail": f"line {f.line}: {f.reason}"} for f in error.faults]
    return problem(request.url.path, 422, str(error), errors=found)


def _on_write_conflict(request: Request, error: Exception) -> Response:
    assert isinstance(error, WriteConflictError)  # noqa: S101  # as registered
    rows = [write_row(row) for row in error.rows]
    return problem(request.url.path, 409, str(error), current=rows)


def _on_view_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ViewRefusedError)  # noqa: S101  # as registered
    items = [ViewItem.made_of(k.view, default=k.is_default, faults=[]) for k in error.current]
    rows = [item.model_dump(mode="json") for item in items]
    return problem(request.url.path, 409, str(error), current=rows)


def _on_unknown(request: Request, error: Exception) -> Response:
    return problem(request.url.path, 404, str(error))


def _on_retryable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RetryableError)  # noqa: S101  # as registered
    retry = {"Retry-After": str(max(1, ceil(error.retry_after_s)))}
    return problem(request.url.path, 503, str(error), retry)


_UNREADABLE = (400, "There was an error parsing the body")
"""FastAPI's error for a body that is not UTF-8, nested too deep, or with a 5,000-digit number."""
_FRAMEWORK_DETAILS = {
    (404, "Not Found"): "There is no such path; /openapi.json lists all paths.",
    (405, "Method Not Allowed"): "This path takes another method; `Allow` names it.",
}
