"""Writes and reads runs in formats of the registry, as the doors do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Mapping

Document = dict[str, Any]


def written(name: str, document: Mapping[str, Any], losses: Losses | None = None) -> bytes:
    """Return a canonical document in a format."""
    stored = Stored(orjson.dumps(document))
    body: bytes = formats_of(Of.RUN)[name].load_writer()(stored, losses or Losses())
    return body


def read_all(name: str, *values: Any, project: str = "default") -> list[Taken | Refused]:
    """Return what became of the values of a file, one a line."""
    lines = [Located(f"line {n}", value) for n, value in enumerate(values, 1)]
    return list(formats_of(Of.RUNS)[name].load_reader().read(lines, Reading(name, project)))


def taken(name: str, value: Any) -> Taken:
    """Return the run of a value; raises ``AssertionError`` if it is refused."""
    (found,) = read_all(name, value)
    assert isinstance(found, Taken), found
    return found


def refusal(name: str, value: Any) -> str:
    """Return why a value is refused; raises ``AssertionError`` if it is taken."""
    (found,) = read_all(name, value)
    assert isinstance(found, Refused), found
    return found.reason
