"""Reads files of other systems.

Input: the records of a file, with their positions. Output: canonical documents.

A reader converts the records in order. An invalid record is rejected with its position, and
reading continues: ``line 3: substeps.0.metadata: an object is needed here, not null``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.json_bytes import TOO_DEEP, TooDeepError
from spanloom.core.formats.losses import Losses
from spanloom.core.model.access import DEFAULT_PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json

UNEXPECTED = "the reader failed, which is a fault of Spanloom"
"""Beginning of a refusal's reason if a reader raised an unexpected error."""


class Located(NamedTuple):
    """A record of a file (a parsed JSON value), and its position."""

    place: str
    """The position of the record for users, counted from 1: ``line 3``, in an array ``item 3``."""
    value: Any  # any JSON value


class Taken(NamedTuple):
    """A run that was read from a file."""

    place: str
    document: Json
    """The canonical document.

    ``core/formats/imported.py`` converts it to the spans that are stored.
    """
    losses: Losses
    scores: Sequence[Json] = ()
    """Scores of the run, as ``POST /v1/scores`` accepts them (``exchange/scored.py``)."""


class Refused(NamedTuple):
    """A record that was rejected, with its position."""

    place: str
    reason: str
    """The reason; begins with the path inside the record, if there is one: ``steps.0.type: …``."""


@dataclass(slots=True)
class Reading:
    """A file's format and project, and losses and scores of the record that is being read."""

    format: str
    project: str = DEFAULT_PROJECT
    """The project of the runs, from which generated ids are computed too."""
    losses: Losses = field(default_factory=Losses)
    """Losses of the current record."""
    scores: list[Json] = field(default_factory=list)
    """Scores of the current record."""


class Reader(Protocol):
    """Reads the records of a file in one format."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether the first record of a file has the shape of this format."""
        ...

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return whether a top-level list that starts with this item is a single record.

        Otherwise it is a list of records. Only the first item is examined: the format of the file
        is already known, and the rest of the list may be invalid.
        """
        ...

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield each run, and each rejected record; invalid records raise no error."""
        ...


ReadOne: TypeAlias = "Callable[[Any, Reading], Iterable[Json]]"
"""Converts a record to canonical documents; raises ``InvalidRequestError`` with the path."""


class EachAlone(NamedTuple):
    """A reader for formats in which each record of the file is read independently."""

    fits: Callable[[Any], bool]
    read_one: ReadOne

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return whether a list that starts with this item is one record; see ``Reader``."""
        return self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield each run, and each rejected record; see ``Reader``."""
        for place, value in values:
            yield from read_alone(place, value, self.read_one, reading)


def read_alone(
    place: str, value: Any, read_one: ReadOne, reading: Reading
) -> Iterator[Taken | Refused]:
    """Yield the runs in one record, or the rejected record."""
    reading.losses, reading.scores = Losses(), []
    try:
        documents = list(read_one(value, reading))
    except Exception as error:  # a fault of a reader must not hide the other records
        yield refusal(place, error)
    else:
        for document in documents:
            own = [row for row in reading.scores if row["trace_id"] == document["id"]]
            yield Taken(place, document, reading.losses, own)


def refusal(place: str, error: Exception) -> Refused:
    """Return the refusal of a record for which a reader raised an error.

    The reason is the error's text. For an error that no reader raises on purpose, it says so.
    """
    if isinstance(error, InvalidRequestError):
        return Refused(place, str(error))
    if isinstance(error, (RecursionError, TooDeepError)):
        return Refused(place, TOO_DEEP)
    return Refused(place, f"{UNEXPECTED}, {type(error).__name__}: {error}")


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
