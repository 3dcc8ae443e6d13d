"""Reads the expectations in rows of other systems, under the names of Spanloom's dataset items.

A run imported from such a row has the expectations in its metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.mlflow.rows import expectations_of
from spanloom.core.formats.readers import a_list, a_text, an_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.document import Document
    from spanloom.core.formats.json_bytes import Json


def expected_in(row: Json, where: str = "") -> dict[str, Any]:  # JSON values
    """Return the members of a row as members of ``expected``; unknown names are unchanged.

    Raises ``InvalidRequestError`` that names a malformed member.
    """
    made: dict[str, Any] = {}
    for name, value in row.items():
        if value in (None, "", [], {}):
            continue
        ours, read = _MEMBERS.get(name, (name, _as_it_is))
        made[ours] = read(value, f"{where}{name}")
    return made


def _as_it_is(value: Any, _where: str) -> Any:  # any JSON value
    return value


def _facts(value: object, where: str) -> list[str]:
    return [a_text(fact, f"{where}.{at}") for at, fact in enumerate(a_list(value, where))]


def _chunks(value: object, where: str) -> list[Json]:
    return [_chunk(one, f"{where}.{at}") for at, one in enumerate(a_list(value, where))]


def _chunk(value: object, where: str) -> Json:
    chunk = an_object(value, where)
    if not isinstance(chunk.get("doc_uri"), str):
        raise InvalidRequestError(f"{where}.doc_uri: it is missing")
    return chunk


_MEMBERS: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "expected_response": ("response", a_text),
    "expected_facts": ("facts", _facts),
    "expected_retrieved_context": ("retrieved_context", _chunks),
}
EXPECTED = frozenset({*_MEMBERS, "guidelines", "custom_expected"})
"""Columns of a row that contain expectations."""
_REFERENCE = "reference_output"
"""Metadata key of a run from an evaluation set of Coze Loop."""


def expected_of_run(document: Document) -> dict[str, Any]:  # JSON values
    """Return the expectations of the row that a run was imported from; empty for other runs.

    Raises ``InvalidRequestError`` that names a malformed member.
    """
    reference = document.extraction.metadata.get(_REFERENCE)
    members = {"response": reference} if isinstance(reference, str) and reference else {}
    return members | expected_in(dict(expectations_of(document)))
