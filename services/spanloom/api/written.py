"""Request bodies that people write as YAML or JSON; faults have the line of their place."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.types import Message

from spanloom.core.annotation.yaml_tree import Remark
from spanloom.core.errors import InvalidQueryError
from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.files.config.text import ConfigError, Places, read_text

YAML = frozenset({"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"})
Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
ModelT = TypeVar("ModelT", bound=BaseModel)


class WrittenPlaces(NamedTuple):
    """Where the values of a body are."""

    places: Places

    def error(self, place: str, reason: str) -> ConfigError:
        """Return the error of a fault at a place."""
        return ConfigError([self.places.fault(place, reason)])

    def evaluator_error(self, error: InvalidEvaluatorError) -> ConfigError:
        """Return the error of an evaluator of a list."""
        return self.error(error.key, error.reason)


def read_written(body: bytes) -> tuple[Any, WrittenPlaces]:
    """Return the plain values of a body, and where they are; raises ``ConfigError``."""
    value, places = read_text(body)
    return value, WrittenPlaces(places)


def read_model(model: type[ModelT], body: bytes) -> tuple[ModelT, WrittenPlaces]:
    """Return the model of a body, and where its values are; raises ``ConfigError``."""
    value, places = read_text(body)
    try:
        return model.model_validate(value), WrittenPlaces(places)
    except ValidationError as error:
        faults = [
            places.fault(".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, "))
            for one in error.errors()
        ]
        raise ConfigError(sorted(faults)) from error


class WrittenRoute(APIRoute):
    """A route whose JSON body may also be sent as YAML; its faults then have their lines."""

    def get_route_handler(self) -> Handler:
        """Return the handler of the JSON that the YAML says."""
        handle = super().get_route_handler()

        async def handle_written(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in YAML:
                return await handle(request)
            value, places = read_written(await request.body())
            try:
                return await handle(_as_json(request, dump(value)))
            except RequestValidationError as error:
                raise ConfigError(sorted(_faults(error.errors(), places.places))) from error
            except InvalidEvaluatorError as error:
                raise places.evaluator_error(error) from error
            except InvalidQueryError as error:
                raise places.error(error.parameter, error.detail) from error

        return handle_written


def _as_json(request: Request, body: bytes) -> Request:
    """Return the request with a body of JSON."""
    others = [(k, v) for k, v in request.scope["headers"] if k != b"content-type"]
    headers = [*others, (b"content-type", b"application/json")]

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({**request.scope, "headers": headers}, receive)


def _faults(errors: Sequence[Any], places: Places) -> Iterator[Remark]:
    for one in errors:
        inside = [str(part) for part in one["loc"] if part != "body"]
        yield places.fault(".".join(inside), one["msg"].removeprefix("Value error, "))


ALSO_YAML: dict[str, Any] = {
    "requestBody": {
        "content": {
            "application/yaml": {"schema": {"type": "string", "description": "The same as YAML."}}
        }
    }
}
"""What OpenAPI adds to a route of ``WrittenRoute``."""


def body_as_written(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    """Return the description of such a body for OpenAPI."""
    written = {"schema": schema, "example": example}
    return {
        "content": {
            "application/json": written,
            "application/yaml": {"schema": {"type": "string", "description": "The same as YAML."}},
        },
        "required": True,
    }
