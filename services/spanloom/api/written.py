"""Request bodies that people write as YAML or JSON; faults have the line of their place."""

from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from spanloom.evaluation.files.config.text import ConfigError, Places, read_text

ModelT = TypeVar("ModelT", bound=BaseModel)


class WrittenPlaces(NamedTuple):
    """Where the values of a body are."""

    places: Places

    def error(self, place: str, reason: str) -> ConfigError:
        """Return the error of a fault at a place."""
        return ConfigError([self.places.fault(place, reason)])


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
