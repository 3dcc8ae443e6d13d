"""Writes and reads runs in formats of the registry, as the API and the commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Document = dict[str, Any]


def write(name: str, document: Mapping[str, Any], losses: Losses | None = None) -> bytes:
    """Return a canonical document in a format."""
    stored = Stored(orjson.dumps(document))
    body: bytes = formats_of(Of.RUN)[name].load_writer()(stored, losses or Losses())
    return body


def read_all(name: str, *values: Any, project: str = "default") -> list[Taken | Refused]:
    """Read the values of a file, one per line, into runs and refusals."""
    lines = [Located(f"line {n}", value) for n, value in enumerate(values, 1)]
    return list(formats_of(Of.RUNS)[name].load_reader().read(lines, Reading(name, project)))


def read(name: str, *values: Any) -> Taken:
    """Return the only run of the values; raises ``AssertionError`` if it is refused."""
    (found,) = read_all(name, *values)
    assert isinstance(found, Taken), found
    return found


def refusal(name: str, value: Any) -> str:
    """Return why a value is refused; raises ``AssertionError`` if it is accepted."""
    (found,) = read_all(name, value)
    assert isinstance(found, Refused), found
    return found.reason


def values_in(name: str, body: bytes) -> Sequence[Any]:
    """Return the values that a reader finds in a written run."""
    in_lines = formats_of(Of.RUN)[name].suffix == ".jsonl"
    return [orjson.loads(line) for line in (body.splitlines() if in_lines else (body,))]


def reread(name: str, document: Mapping[str, Any]) -> Document:
    """Return a document after writing it in a format and reading it back."""
    return read(name, *values_in(name, write(name, document))).document
