"""Models of requests: the fields of a record that a client sets, with their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, Field, create_model

from spanloom.core.records.declared import Requested
from spanloom.core.records.record import find_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic.fields import FieldInfo

ModelT = TypeVar("ModelT", bound=BaseModel)


def requested_names(record: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of the fields that a request sets, in the order of declaration."""
    return tuple(_requested(record))


def as_requested(model: type[ModelT]) -> type[ModelT]:
    """Return a model in which inherited fields have the bounds that ``Requested`` declares."""
    return _completed(model, (model,), **_fields(model))


def with_requested(
    record: type[BaseModel], /, **kinds: type[BaseModel]
) -> Callable[[type[ModelT]], type[ModelT]]:
    """Return a decorator that adds the fields which a request sets, before a model's own fields.

    ``kinds`` has the types of fields that the module of the record cannot import.
    """

    def complete(model: type[ModelT]) -> type[ModelT]:
        fields = create_model(f"{model.__name__}Fields", **_fields(record, **kinds))
        return _completed(model, (model, fields))  # pydantic takes fields from the last base first

    return complete


def _completed(
    model: type[ModelT], bases: tuple[type[BaseModel], ...], /, **fields: Any
) -> type[ModelT]:
    name, text, module = model.__name__, model.__doc__, model.__module__
    made = create_model(name, __base__=bases, __doc__=text, __module__=module, **fields)
    return cast("type[ModelT]", made)


def _fields(record: type[BaseModel], /, **kinds: Any) -> dict[str, Any]:
    """Return the fields that a request sets, with types and values as ``create_model`` expects."""
    return {
        name: _field(record.model_fields[name], requested, kinds.get(name))
        for name, requested in _requested(record).items()
    }


def _field(info: FieldInfo, requested: Requested, kind: Any) -> tuple[Any, Any]:  # (type, field)
    kind = kind or requested.kind or info.annotation
    described = {"description": info.description, **requested.differing}
    field = Field(requested.default, **described)
    return (kind | None if requested.default is None else kind), field


def _requested(record: type[BaseModel]) -> Mapping[str, Requested]:
    found = {name: find_part(info, Requested) for name, info in record.model_fields.items()}
    return {name: requested for name, requested in found.items() if requested}
