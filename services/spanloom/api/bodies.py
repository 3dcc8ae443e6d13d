"""Reads request bodies in YAML or JSON; errors name the lines of invalid values."""

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


class BodyPlaces(NamedTuple):
    """The lines of values in a body."""

    places: Places

    def error(self, place: str, reason: str) -> ConfigError:
        """Return the error for the invalid value at a key path, with its line."""
        return ConfigError([self.places.fault(place, reason)])


def read_body(body: bytes) -> tuple[Any, BodyPlaces]:
    """Return the parsed values of a body, and their lines; raises ``ConfigError``."""
    value, places = read_text(body)
    return value, BodyPlaces(places)


def read_model(model: type[ModelT], body: bytes) -> tuple[ModelT, BodyPlaces]:
    """Return a body as a validated model, and the lines of its values; raises ``ConfigError``."""
    value, places = read_text(body)
    try:
        return model.model_validate(value), BodyPlaces(places)
    except ValidationError as error:
        faults = [
            places.fault(".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, "))
            for one in error.errors()
        ]
        raise ConfigError(sorted(faults)) from error


class YamlRoute(APIRoute):
    """A route whose JSON body may also be sent as YAML; errors then name the lines."""

    def get_route_handler(self) -> Handler:
        """Return a handler that converts YAML to JSON first."""
        handle = super().get_route_handler()

        async def handle_yaml(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind not in YAML:
                return await handle(request)
            value, places = read_body(await request.body())
            try:
                return await handle(_as_json(request, dump(value)))
            except RequestValidationError as error:
                raise ConfigError(sorted(_faults(error.errors(), places.places))) from error
            except InvalidEvaluatorError as error:
                raise places.error(error.key, error.reason) from error
            except InvalidQueryError as error:
                raise places.error(error.parameter, error.detail) from error

        return handle_yaml


def _as_json(request: Request, body: bytes) -> Request:
    """Return the request with a JSON body."""
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
"""The additional OpenAPI description of a ``YamlRoute``."""


def yaml_or_json_body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI description of a body in JSON or YAML."""
    written = {"schema": schema, "example": example}
    return {
        "content": {
            "application/json": written,
            "application/yaml": {"schema": {"type": "string", "description": "The same as YAML."}},
        },
        "required": True,
    }
