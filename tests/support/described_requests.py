"""Requests generated from an OpenAPI description, and checks of the responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Err
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hypothesis.strategies import SearchStrategy
    from schemathesis import APIOperation, BaseSchema, Case

    Operation = APIOperation[Any, Any, Any, Any]
    Request = Case[Any]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    ignored_auth,
]
"""The checks: no 5xx; only described statuses, types, headers and documents; requests that do not
match the description are refused; no success without a key, or with a wrong key.
"""


def right_and_wrong(
    schema: BaseSchema, known: Mapping[str, Sequence[str]]
) -> Iterator[SearchStrategy[Request]]:
    """Yield the requests that match each operation's description, then those that do not.

    ``known`` has values of existing resources, by the name of the path parameter.
    """
    for found in schema.get_all_operations():
        assert not isinstance(found, Err), found
        operation = found.ok()
        yield _right(operation, known)
        places = {parameter.location for parameter in operation.iter_parameters()}
        if operation.body or places - {ParameterLocation.HEADER}:  # a header may be any text
            yield operation.as_strategy(GenerationMode.NEGATIVE)


def _right(operation: Operation, known: Mapping[str, Sequence[str]]) -> SearchStrategy[Request]:
    """Return valid requests; the first one and most others name existing resources."""

    def naming(name: str, value: str) -> SearchStrategy[Request]:
        return operation.as_strategy(path_parameters={name: value})

    if operation.path.endswith("/changes"):  # a waiting caller gets no more items
        return operation.as_strategy(query={"wait": 0})
    there = [(n, v) for n in known if f"{{{n}}}" in operation.path for v in known[n]]
    made_up = operation.as_strategy()
    if not there:
        return made_up
    named = st.sampled_from(there).flatmap(lambda pair: naming(*pair))
    return st.one_of(named, named, named, made_up)
