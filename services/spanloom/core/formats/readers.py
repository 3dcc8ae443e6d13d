"""How files of other systems are read: JSON values with their places in, canonical documents out.

A reader takes the values of a file one after the other. One that it cannot read is refused with its
place, and the next is read: ``line 3: substeps.0.metadata: an object is needed here, not null``.
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
    """For people, from 1: ``line 3``, in an array ``item 3``."""
    value: Any  # as JSON has it


class Taken(NamedTuple):
    """A run that was read."""

    place: str
    document: Json
    """Canonical, with an ``extraction`` that would be restored (``core/formats/imported.py``)."""
    losses: Losses
    scores: Sequence[Json] = ()
    """Scores of the run, as ``POST /v1/scores`` takes them (``exchange/scored.py``)."""


class Refused(NamedTuple):
    """A value that is not taken."""

    place: str
    reason: str
    """With the place inside the value, where there is one: ``steps.0.type: …``."""


@dataclass(slots=True)
class Reading:
    """What a reader knows of its file, and where it notes what it loses."""

    format: str
    project: str = "default"
    """Where the runs go; part of the ids that are made."""
    losses: Losses = field(default_factory=Losses)
    """Of the value that is read now."""
    scores: list[Json] = field(default_factory=list)
    """Of the value that is read now."""


class Reader(Protocol):
    """Reads the values of a file in one format."""

    def fits(self, value: Any) -> bool:  # as JSON has it
        """Return whether the first value of a file is meant to be in this format, by its shape."""
        ...

    def holds(self, first: Any) -> bool:  # as JSON has it
        """Return whether a list that begins with this is one value, and no list of values.

        The file is known to be in this format; the list may be bad.
        """
        ...

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield every run of the values, and what is refused; never raises for a value."""
        ...


ReadOne: TypeAlias = "Callable[[Any, Reading], Iterable[Json]]"
"""Returns the canonical documents of one value; raises ``InvalidRequestError`` with the place."""


class EachAlone(NamedTuple):
    """A reader of formats in which every value stands for itself."""

    fits: Callable[[Any], bool]
    read_one: ReadOne

    def holds(self, first: Any) -> bool:  # as JSON has it
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
    except (RecursionError, orjson.JSONEncodeError):  # it can be parsed, but not written again
        yield Refused(place, "it is nested too deeply")
    else:
        for document in documents:
            own = [row for row in reading.scores if row["trace_id"] == document["id"]]
            yield Taken(place, document, reading.losses, own)


def an_object(value: object, where: str) -> Json:
    """Return a JSON object; raises ``InvalidRequestError`` with its place for another value."""
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}: an object is needed here, not {kind_of(value)}")
    return value


def a_list(value: object, where: str) -> list[Any]:  # as JSON has it
    """Return a JSON list; raises ``InvalidRequestError`` with its place for another value."""
    if not isinstance(value, list):
        raise InvalidRequestError(f"{where}: a list is needed here, not {kind_of(value)}")
    return value


def a_text(value: object, where: str) -> str:
    """Return a string; raises ``InvalidRequestError`` with its place for another value."""
    if not isinstance(value, str):
        raise InvalidRequestError(f"{where}: a string is needed here, not {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Return what a JSON value is, for people: ``a list``."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")
