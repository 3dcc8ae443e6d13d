"""Detects the format of a file by the shape of its records, and finds the reader for it.

Canonical documents and OTLP may be mixed in one file, line by line; every other file has one
format, the format of its first record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.errors import InvalidQueryError, InvalidRequestError
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.readers import Reader

OTLP, CANONICAL = "otlp", "canonical"
OWN = frozenset({OTLP, "jsonl"})
"""Formats that may be mixed in one file."""
OTHER_NAMES = {CANONICAL: "jsonl"}
"""Alternative names that callers may use for some file formats."""


class SeveralFitError(InvalidRequestError):
    """Raised if the first record of a file has the shape of several formats."""

    def __init__(self, ids: Sequence[str]) -> None:
        """Build the message from the ids of these formats."""
        super().__init__(f"its shape fits {' and '.join(ids)}: name one")
        self.ids = ids


class Source(NamedTuple):
    """The format of a file; if ``id`` is empty, each record is a canonical document or OTLP."""

    id: str = ""
    """The format of the file (``jsonl``), as in ``--format``."""
    fault: str = ""
    """Why no record of the file can be read; empty if records can be read."""

    @property
    def name(self) -> str:
        """The id of the format of the runs, as in reports and generated ids: ``canonical``."""
        known = readable().get(self.id)
        return (known.line or known.id) if known else CANONICAL

    @property
    def reader(self) -> Reader | None:
        """The reader for the records; ``None`` for OTLP, and if ``id`` is empty."""
        return reader_of(self.id) if self.id and self.id != OTLP else None

    @property
    def has_constants(self) -> bool:
        """Whether numbers in the file may be NaN or infinite."""
        known = readable().get(self.id)
        return known is not None and known.has_constants

    def is_container(self, first: Any) -> bool:  # any JSON value
        """Return whether an array with this first element is a list of records, not one record.

        In a format whose runs are lists, an array is one record, unless its files are arrays of
        runs.
        """
        known = [self.id] if self.id else list(readers())
        if any(readable()[name].filed is Filed.ARRAY for name in _fitting(first, known)):
            return True
        if self.reader is not None:
            return not self.reader.holds(first)
        return not _fitting([first], known)


def readable() -> Mapping[str, Format]:
    """Return the file formats that can be read, keyed by id."""
    return {known.id: known for known in formats_of(Of.RUNS).values() if known.is_read}


def find_readable(name: str) -> str:
    """Return the id of the file format with a name; empty for an empty name.

    Raises ``InvalidQueryError`` with the known names for an unknown name.
    """
    known = readable()
    found = OTHER_NAMES.get(name, name)
    if found and found not in known:
        raise InvalidQueryError(f"{name!r} is not read; read are {', '.join(known)}", "format")
    return found


def readers() -> Mapping[str, Format]:
    """Return the formats detected by shape, keyed by id; only the first format per reader."""
    by_reader: dict[str, Format] = {}
    for known in readable().values():
        if known.id == OTLP or not known.magic or known.unpacker:
            by_reader.setdefault(known.reader, known)
    return {known.id: known for known in by_reader.values()}


def source_of(value: Any) -> Source | None:  # any JSON value
    """Return the format whose shape a file's first record has; ``None`` if there is none.

    Raises ``SeveralFitError`` if there are several.
    """
    found = _fitting(value, list(readers()))
    if len(found) > 1:
        raise SeveralFitError(found)
    if not found:
        return None
    return Source("" if found[0] in OWN else found[0])


def fits_a_document(value: Any) -> bool:  # any JSON value
    """Return whether a value has the shape of a canonical document, valid or not."""
    return reader_of("jsonl").fits(value)


def _fitting(value: Any, among: Sequence[str]) -> list[str]:  # any JSON value
    return [
        one for one in among if (_is_otlp(value) if one == OTLP else reader_of(one).fits(value))
    ]


def _is_otlp(value: Any) -> bool:  # any JSON value
    return isinstance(value, dict) and "resourceSpans" in value


def reader_of(name: str) -> Reader:
    """Return the reader of a format other than OTLP."""
    found: Reader = readable()[name].load_reader()
    return found
