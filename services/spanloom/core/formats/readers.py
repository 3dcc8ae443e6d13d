"""Reads files of other systems. Input: JSON values with positions. Output: canonical documents.

A reader parses the values of a file in order. An invalid value is refused with its position, and
reading continues: ``line 3: substeps.0.metadata: an object is needed here, not null``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.losses import Losses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json


class Located(NamedTuple):
    """A JSON value of a file."""

    place: str
    """Its position for users, from 1: ``line 3``, in an array ``item 3``."""
    value: Any  # any JSON value


class Taken(NamedTuple):
    """A run that was read from a file."""

    place: str
    document: Json
    """The canonical document, from whose ``extraction`` it can be restored.

    See ``core/formats/imported.py``.
    """
    losses: Losses
    scores: Sequence[Json] = ()
    """Scores of the run, as ``POST /v1/scores`` accepts them (``exchange/scored.py``)."""


class Refused(NamedTuple):
    """A value that was refused."""

    place: str
    reason: str
    """The reason; begins with the path inside the value, if there is one: ``steps.0.type: …``."""


@dataclass(slots=True)
class Reading:
    """The state of a reader: the format and project of its file, and its losses."""

    format: str
    project: str = "default"
    """The project of the runs; part of generated ids."""
    losses: Losses = field(default_factory=Losses)
    """Losses of the current value."""
    scores: list[Json] = field(default_factory=list)
    """Scores of the current value."""


class Reader(Protocol):
    """Reads the values of a file in one format."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether the first value of a file has the shape of this format."""
        ...

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return whether a list with this first item is one value, not a list of values.

        The file is known to have this format, but the list may be invalid.
        """
        ...

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield the runs of the values, and refusals; invalid values raise no error."""
        ...


ReadOne: TypeAlias = "Callable[[Any, Reading], Iterable[Json]]"
"""Returns the canonical documents of a value; raises ``InvalidRequestError`` with the path."""


class EachAlone(NamedTuple):
    """A reader of formats whose values are independent of each other."""

    fits: Callable[[Any], bool]
    read_one: ReadOne

    def holds(self, first: Any) -> bool:  # any JSON value
        """See ``Reader``."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """See ``Reader``."""
        for place, value in values:
            yield from read_alone(place, value, self.read_one, reading)


def read_alone(
    place: str, value: Any, read_one: ReadOne, reading: Reading
) -> Iterator[Taken | Refused]:
    """Yield the runs of one value, or its refusal."""
    reading.losses, reading.scores = Losses(), []
    try:
        documents = list(read_one(value, reading))
    except InvalidRequestError as error:
        yield Refused(place, str(error))
    except (RecursionError, orjson.JSONEncodeError):  # it can be parsed, but not serialized
        yield Refused(place, "it is nested too deeply")
    else:
        for document in documents:
            own = [row for row in reading.scores if row["trace_id"] == document["id"]]
            yield Taken(place, document, reading.losses, own)


def an_object(value: object, where: str) -> Json:
    """Return a JSON object; raises ``InvalidRequestError`` with the path for any other value."""
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is needed here, not {kind_of(value)}")
    return value


def a_list(value: object, where: str) -> list[Any]:  # any JSON values
    """Return a JSON list; raises ``InvalidRequestError`` with the path for any other value."""
    if not isinstance(value, list):
        raise InvalidRequestError(f"{where}: a list is needed here, not {kind_of(value)}")
    return value


def a_text(value: object, where: str) -> str:
    """Return a string; raises ``InvalidRequestError`` with the path for any other value."""
    if not isinstance(value, str):
        raise InvalidRequestError(f"{where}: a string is needed here, not {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Return the type of a JSON value in words: ``a list``."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")
