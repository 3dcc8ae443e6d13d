"""Reads lines of Invariant's datasets, lists of messages, and requests of its SDK.

If ``metadata.parent_trace`` of a line names the preceding run, the line is an agent of that run, so
a run is complete when another begins. Successive bare messages form one list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import MAX_STEPS, complete
from spanloom.core.exchange.ids import trace_id_of
from spanloom.core.exchange.invariant.agents import draft_of
from spanloom.core.exchange.invariant.lines import Line, line_of
from spanloom.core.formats.json_bytes import TOO_DEEP, dump
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Refused, Taken, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Located, Reading


class _Piece(NamedTuple):
    """An unchecked line, and its path in the record that contains it."""

    where: str
    value: Any  # any JSON value


class InvariantReader:
    """Reads dataset lines, lists of messages and SDK requests; several lines may be one run."""

    def fits(self, value: Any) -> bool:  # any JSON value
        """Return whether a value is an SDK request, or lines with an index or annotations."""
        if isinstance(value, list):
            return bool(value) and all(map(self.fits, value[:10]))
        if not isinstance(value, dict) or not isinstance(messages := value.get("messages"), list):
            return False
        is_push = bool(messages) and isinstance(messages[0], list)
        return is_push or "annotations" in value or isinstance(value.get("index"), int)

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return whether a list that starts with this item is one record: messages or lines."""
        is_message = isinstance(first, dict) and "messages" not in first
        return is_message or self.fits([first])

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield each run, and each rejected record."""
        runs = _Runs(reading)
        for place, value in values:
            try:
                pieces = list(_pieces(_clean(value, runs.losses)))
            except InvalidRequestError as error:
                yield Refused(place, str(error))
                continue
            for piece in pieces:
                yield from runs.take(place, piece)
        yield from runs.end()


class _Runs:
    """Collects the lines of a run until another run begins."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._place = ""
        self._trace_id = self._source = ""
        self._lines: list[Line] = []
        self._steps = 0
        self._is_bare = False
        self.losses = Losses()
        """Losses of the run, and of the records before it that are not runs."""

    def take(self, place: str, piece: _Piece) -> Iterator[Taken | Refused]:
        """Add a line to the run, or yield the run and start another."""
        is_bare = isinstance(piece.value, dict) and "role" in piece.value
        try:
            line = line_of([piece.value] if is_bare else piece.value, piece.where)
        except Exception as error:  # as above
            yield refusal(place, error)
            return
        if line is None:  # metadata of the dataset
            self.losses.note(Code.METADATA_DROPPED, "metadata")
            return
        try:
            if not self._belongs(line, is_bare=is_bare):
                yield from self.end()
                self._begin(place, line)
            self._add(line, is_bare=is_bare)
        except InvalidRequestError as error:
            yield Refused(place, str(error))

    def end(self) -> Iterator[Taken | Refused]:
        """Yield the run, if there is one."""
        lines, losses = self._lines, self.losses
        if not lines:
            return
        self._lines, self.losses, self._steps = [], Losses(), 0
        self._reading.losses, self._reading.scores = losses, []
        losses.trace_id = self._trace_id or _id_of(lines, self._reading)
        try:
            draft = draft_of(lines, losses.trace_id, self._reading)
            document = complete(draft)
        except Exception as error:  # a fault of the reader must not hide the other runs
            yield refusal(self._place, error)
        else:
            yield Taken(self._place, document, losses, self._reading.scores)

    def _belongs(self, line: Line, *, is_bare: bool) -> bool:
        if not self._lines:
            return False
        if is_bare:
            return self._is_bare
        return bool(self._trace_id) and line.parent == self._source

    def _begin(self, place: str, line: Line) -> None:
        self._place, self._source = place, line.source
        self._is_bare = False
        known = trace_id_of(self._reading.format, self._reading.project, line.source)
        self._trace_id = known if line.source else ""

    def _add(self, line: Line, *, is_bare: bool) -> None:
        self._steps += len(line.messages)
        if self._steps > MAX_STEPS:
            raise InvalidRequestError(f"it has more than {MAX_STEPS:,} messages")
        if is_bare and self._lines:
            self._lines[0].messages.extend(line.messages)
        else:
            self._lines.append(line)
        self._is_bare = is_bare


def _id_of(lines: list[Line], reading: Reading) -> str:
    """Return an id for a run without an id: a hash of its content."""
    content = dump([[line.messages, line.metadata] for line in lines]).decode()
    return trace_id_of(reading.format, reading.project, content)


def _clean(value: Any, losses: Losses) -> Any:  # any JSON value
    """Return a value with lone surrogates and invalid numbers replaced."""
    try:
        orjson.dumps([[[[[[value]]]]]])  # as deeply nested as in the document
    except TypeError:
        try:
            (value,) = orjson.loads(dump([value]))
            orjson.dumps([[[[[[value]]]]]])
        except (TypeError, RecursionError, orjson.JSONDecodeError):
            raise InvalidRequestError(TOO_DEEP) from None
        losses.note(Code.VALUE_TRUNCATED)
    return value


def _pieces(value: Any) -> Iterator[_Piece]:  # any JSON value
    """Yield the lines in a record: the record itself, a list's items, or a request's traces."""
    if isinstance(value, list) and value and all(map(_is_line, value)):
        for at, item in enumerate(value):
            yield _Piece(f"{at}.", item)
    elif isinstance(value, dict) and _is_push(value):
        yield from _pushed(value)
    else:
        yield _Piece("", value)


def _is_line(value: object) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and "messages" in value)


def _is_push(value: Json) -> bool:
    messages = value.get("messages")
    return isinstance(messages, list) and any(isinstance(one, list) for one in messages)


def _pushed(value: Json) -> Iterator[_Piece]:
    """Yield each trace in an SDK request as a line.

    Raises ``InvalidRequestError`` if the request's lists have different lengths.
    """
    messages = value["messages"]
    columns: dict[str, list[Any]] = {}
    for name in ("annotations", "metadata"):
        column = value.get(name)
        if column is not None and (not isinstance(column, list) or len(column) != len(messages)):
            raise InvalidRequestError(f"{name}: a list as long as messages is needed")
        columns[name] = column or [None] * len(messages)
    for at, one in enumerate(messages):
        line = {name: column[at] for name, column in columns.items() if column[at] is not None}
        yield _Piece(f"messages.{at}.", {"messages": one, **line})


INVARIANT = InvariantReader()
