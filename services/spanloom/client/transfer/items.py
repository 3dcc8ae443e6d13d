"""Reads the content of a file: documents of runs in any known format, spans, or neither.

Readers for the formats of other systems (``core/formats/registry.py``) convert their files to
canonical documents; OTLP is not converted.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson
from google.protobuf.message import DecodeError

from spanloom.client.transfer.parts import Part, find_table, read_parts, why
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.renewed import renewed, renewed_score
from spanloom.core.exchange.sources import OTLP, Source, fits_a_document, reader_of, source_of
from spanloom.core.exchange.values import THE_FILE, parse
from spanloom.core.formats.losses import Code
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.model.access import DEFAULT_PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from spanloom.core.formats.json_bytes import Json

_TABLES = frozenset({"parquet", "arrow"})
LOOKED_AT = 100
"""Records that are examined; the first record of a known format decides the format of the file."""
_NO_ROWS = "it is a table without a column `document`, and its rows are of no format that is read"
_NEITHER = "it has no `resourceSpans`, and is of no other format that is read"
_KEEPS_IDS = "spans keep their ids; only runs of documents get others"


class Spans(NamedTuple):
    """Items of OTLP's ``resourceSpans``, unchanged."""

    place: str
    groups: Sequence[Json]


class Item(NamedTuple):
    """A run, spans, or a refused item, and the fraction of the file read so far."""

    found: Taken | Spans | Refused
    share: float
    """The fraction of the file read so far, from 0 to 1."""


Kept: TypeAlias = "Taken | Refused | Spans"


def find_source(path: Path, named: str = "") -> Source:
    """Return the format of a file: ``named``, or by default the format of its first record.

    If the file cannot be read, the result has the reason. Raises ``SeveralFitError``.
    """
    try:
        is_table = find_table(path) is not None
    except OSError as error:
        return Source(named, why(error))
    if named in _TABLES:
        return Source("jsonl", "" if is_table else f"it is no file of the format {named}")
    if named:
        return Source(named)
    for part, _ in zip(read_parts(path, Source().is_container), range(LOOKED_AT), strict=False):
        if part.fault or part.is_message:
            continue
        try:
            value, _ = parse(part.read, with_constants=True)  # only its structure matters
        except InvalidRequestError:
            continue
        if (source := source_of(value)) is not None:
            return source
        if part.place.startswith("row "):
            return Source("", _NO_ROWS)
    return Source()


def read_items(path: Path, source: Source, project: str | None, *, as_new: bool) -> Iterator[Item]:
    """Yield the content of a file; generated ids depend on ``project``.

    With ``as_new`` runs that are read from documents get new ids.
    """
    if source.fault:
        yield Item(Refused(THE_FILE, source.fault), 1.0)
        return
    reading = Reading(source.name, project or DEFAULT_PROJECT)
    values = _Values(read_parts(path, source.is_container), source)
    read: Iterator[Kept]
    if source.reader is not None:
        read = source.reader.read(values.located(), reading)
    else:
        read = _each(values, reading, with_documents=source.id != OTLP)
    for found in read:
        yield from values.refusals()
        if isinstance(found, Taken) and values.has_replaced_in(found.place):
            found.losses.note(Code.VALUE_TRUNCATED)
        yield Item(_renewed(found) if as_new else found, values.share)
    yield from values.refusals()


class _Values:
    """The records of a file, for a format's reader; unparsable records become refusals."""

    def __init__(self, parts: Iterator[Part], source: Source) -> None:
        self._parts, self._refused = parts, deque[Refused]()
        self._is_otlp = source.id in ("", OTLP)
        self._has_constants = source.has_constants
        self.share = 0.0
        self._place = ""
        """The position of the last record."""
        self._replaced: set[str] = set()
        """Positions of records with replaced lone surrogates that are in no run yet."""

    def __iter__(self) -> Iterator[Part]:
        for part in self._parts:
            self.share, self._place = part.share, part.place
            fault = part.fault
            if part.is_message and not self._is_otlp:
                fault = fault or "it is no JSON"
            if fault:
                self._refused.append(Refused(part.place, fault))
            yield part._replace(fault=fault)
        self._place = ""

    def parse(self, part: Part) -> Any:  # parsed JSON
        """Return the value of a ``Part``; raises ``InvalidRequestError``."""
        value, is_replaced = parse(part.read, with_constants=self._has_constants)
        if is_replaced:
            self._replaced.add(part.place)
        return value

    def has_replaced_in(self, place: str) -> bool:
        """Return whether surrogates were replaced in the run that begins at a position.

        If the last record is at that position, only this record counts; otherwise all records
        before it count.
        """
        is_last = place == self._place or place.startswith(f"{self._place}: ")
        replaced = self._replaced & {self._place} if is_last else self._replaced - {self._place}
        self._replaced &= {self._place}
        return bool(replaced)

    def located(self) -> Iterator[Located]:
        """Yield each record with its position."""
        for part in self:
            if not part.fault:
                try:
                    value = self.parse(part)
                except InvalidRequestError as error:
                    self._refused.append(Refused(part.place, str(error)))
                else:
                    yield Located(part.place, value)

    def refusals(self) -> Iterator[Item]:
        """Yield the refusals since the last call."""
        while self._refused:
            yield Item(self._refused.popleft(), self.share)


def _each(values: _Values, reading: Reading, *, with_documents: bool) -> Iterator[Kept]:
    """Yield the documents and spans in the records of a file, and a refusal for each bad record.

    Without ``with_documents`` documents are refused too.
    """
    for part in values:
        if part.fault:
            continue
        try:
            yield _read(part, values, reading, with_documents=with_documents)
        except (ValueError, TypeError, DecodeError, InvalidRequestError) as error:
            yield Refused(part.place, str(error))


def _read(part: Part, values: _Values, reading: Reading, *, with_documents: bool) -> Kept:
    if part.is_message:
        return Spans(part.place, list(map(orjson.loads, resource_spans_json(part.read))))
    value = values.parse(part)
    if with_documents and fits_a_document(value):
        (found,) = reader_of("jsonl").read([Located(part.place, value)], reading)
        return found
    return Spans(part.place, read_groups(value))


def read_groups(document: object) -> Sequence[Json]:
    """Return the items of ``resourceSpans``; raises ``ValueError`` if there are none."""
    groups = document.get("resourceSpans", ()) if isinstance(document, dict) else None
    if not isinstance(groups, list | tuple) or (not groups and document):
        raise ValueError(_NEITHER)
    if not all(isinstance(group, dict) for group in groups):
        raise ValueError("`resourceSpans` has to be a list of objects")
    return groups


def _renewed(found: Kept) -> Kept:
    if isinstance(found, Spans):
        return Refused(found.place, _KEEPS_IDS)
    if isinstance(found, Refused):
        return found
    document, scores = renewed(found.document), list(map(renewed_score, found.scores))
    return found._replace(document=document, scores=scores)
