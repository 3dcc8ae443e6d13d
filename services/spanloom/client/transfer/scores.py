"""Imports scores from rows of files, and exports them as rows or as OTLP evaluation results."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.calls.scores import score_page, write_scores
from spanloom.client.errors import ApiError, ClientError, NotInstalledError
from spanloom.client.request import Request
from spanloom.client.transfer.parts import why
from spanloom.core.errors import InvalidRequestError, PermanentError
from spanloom.core.exchange.values import THE_FILE, UTF_16, is_wide
from spanloom.core.scoring.otlp import is_writable, write_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from spanloom.client.client import Client
    from spanloom.client.transport import Transport
    from spanloom.core.ports.importing import ScoreTaker

    Row = Mapping[str, Any]  # a score as ``GET /v1/scores`` returns it

AT_ONCE = 500
"""Scores per request."""
MOST_SHOWN = 1_000
"""Maximum number of refusals that are stored."""
LONGEST_LINE = 8 << 20
_REFUSED = frozenset({404, 413, 422})
_PARQUET = b"PAR1"
_OURS = frozenset({"human", "adjudication"})
"""Sources of the scores that a service computes from annotations."""
_WRITTEN = (
    *("trace_id", "name", "source", "author", "target", "step_id", "conversation_id", "value"),
    *("value_type", "label", "passed", "is_complete", "status", "error_code", "rationale"),
    *("evidence", "evaluator_version", "config_hash", "rule_id", "experiment", "item", "repeat"),
    *("judged_version", "input_tokens", "output_tokens", "cost", "view_fingerprint"),
    *("coverage", "cached", "metrics", "at", "is_deleted"),
)
"""The members of a row that the service accepts; the service computes all other members."""


class PlacedRow(NamedTuple):
    """A row with its position in its file; without a row, the reason why it cannot be read."""

    place: str
    row: Row | None
    reason: str = ""


@dataclass(slots=True)
class SentScores:
    """The result of storing scores."""

    stored: int = 0
    waiting: int = 0
    """Number of stored scores whose run is not stored yet."""
    left_out: int = 0
    """Number of scores not sent, because importing the annotations creates them."""
    refused_scores: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)
    """Position and reason of the first refused rows."""

    def refuse(self, place: str, reason: str) -> None:
        """Count a rejected row, and record why."""
        self.refused_scores += 1
        if len(self.refused) < MOST_SHOWN:
            self.refused.append({"place": place, "reason": reason})


def send_scores(
    taker: ScoreTaker, rows: Iterable[PlacedRow], project: str | None = None
) -> SentScores:
    """Store scores in the format of ``GET /v1/scores``; call it after their runs are sent.

    Readers of other formats yield rows with the members that they know; ``trace_id``, ``name`` and
    ``author`` suffice. ``project`` replaces the project of the rows. A bad row does not affect
    others, and storing the same rows again changes nothing if they have ``at``. Raises the errors
    of ``taker`` (``ClientError`` for ``ServiceScores``), but not for scores that it refuses.
    """
    sending = _Sending(taker, project or "")
    for placed in rows:
        sending.add(placed)
    sending.flush()
    return sending.done


def list_all(client: Client, **filters: Any) -> Iterator[Row]:
    """Yield the current scores of a query, page by page."""
    cursor: str | None = None
    while True:
        page = client.ask(score_page(**filters, cursor=cursor))
        yield from page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


class Exported(NamedTuple):
    """The number of scores converted to log records, and of those that cannot be."""

    written: int
    skipped: int
    """Number of scores of conversations and items, or of steps whose ids OTLP cannot hold."""


def export_results(rows: Iterable[Row], put: Callable[[bytes], None]) -> Exported:
    """Pass scores to ``put`` as export requests in OTLP/JSON, with ``AT_ONCE`` scores in each."""
    written = skipped = 0
    waiting = iter(rows)
    while some := list(islice(waiting, AT_ONCE)):
        fit = [row for row in some if is_writable(row)]
        if fit:
            put(write_results(fit))
        written += len(fit)
        skipped += len(some) - len(fit)
    return Exported(written, skipped)


def send_results(transport: Transport, body: bytes) -> None:
    """Send a request of log records; raises ``ClientError`` unless all of it is accepted."""
    headers = {"content-type": "application/json"}
    reply = transport.ask(Request("POST", "/v1/logs", headers=headers, body=body))
    partly = orjson.loads(reply.body or b"{}").get("partialSuccess") or {}
    if int(partly.get("rejectedLogRecords") or 0):
        raise ClientError(f"the receiver rejects scores: {partly.get('errorMessage', '')}")


def read_rows(path: Path) -> Iterator[PlacedRow]:
    """Yield the rows of JSON lines or Parquet; if reading fails, the last row has the reason."""
    place = ""
    try:
        for placed in _rows_of(path):
            place = placed.place
            yield placed
    except (OSError, ClientError) as error:
        fault = why(error)
    else:
        return
    yield PlacedRow(f"after {place}" if place else THE_FILE, None, fault)


def _rows_of(path: Path) -> Iterator[PlacedRow]:
    with path.open("rb") as file:
        head = file.read(len(_PARQUET))
    if is_wide(head):
        raise ClientError(UTF_16)
    if head == _PARQUET:
        yield from _read_table(path)
        return
    with path.open("rb") as file:
        yield from read_lines(file)


def read_lines(file: IO[bytes]) -> Iterator[PlacedRow]:
    """Yield the rows in JSON lines, and invalid rows with the reason; raises ``OSError``."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        place = f"line {number}"
        if len(line) > LONGEST_LINE:
            yield PlacedRow(place, None, f"longer than {LONGEST_LINE:,} bytes")
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
        elif line.strip() and (placed := _read_line(place, line)) is not None:
            yield placed


def _read_line(place: str, line: bytes) -> PlacedRow | None:
    """Return the row of a line; ``None`` for the line that marks the end of an export."""
    try:
        row = orjson.loads(line)
    except ValueError:
        return PlacedRow(place, None, "it is no JSON")
    if not isinstance(row, dict):
        return PlacedRow(place, None, "it is no object")
    if "end" in row and "name" not in row:
        return None if row["end"] else PlacedRow(place, None, "the export ends here unexpectedly")
    return PlacedRow(place, row)


def _read_table(path: Path) -> Iterator[PlacedRow]:
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra of the package
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise NotInstalledError(
            f"{error.name} is not installed; pip install 'spanloom[arrow]'"
        ) from error
    try:
        number = 0
        with ParquetFile(path) as table:
            for batch in table.iter_batches(AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield _of_table(f"row {number}", row)
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ClientError(f"it is no whole table: {error}") from error


def _of_table(place: str, row: dict[str, Any]) -> PlacedRow:
    """Return a row of a table; columns that hold values of several types contain JSON texts."""
    try:
        for name in ("value", "evidence", "metrics"):
            if isinstance(row.get(name), str):
                row[name] = orjson.loads(row[name])
    except ValueError:
        return PlacedRow(place, None, "a value is no JSON")
    if isinstance(at := row.get("at"), datetime):
        row["at"] = round(at.timestamp() * 1000)
    return PlacedRow(place, row)


class ServiceScores:
    """A ``ScoreTaker`` that stores scores in a service."""

    def __init__(self, client: Client) -> None:
        """Store scores in the service of ``client``."""
        self._client = client

    def schemes(self, project: str) -> AbstractSet[str]:
        """See ``ScoreTaker``; raises ``ClientError``."""
        schemes = self._client.schemes(project=project or None)
        return {scheme.name for scheme in schemes}

    def store(self, items: Sequence[Row], project: str) -> int:
        """See ``ScoreTaker``; raises ``ClientError`` for failures other than refused scores."""
        try:
            answer = self._client.ask(write_scores(items, project=project or None))
        except ApiError as error:
            if error.status not in _REFUSED:
                raise
            raise InvalidRequestError(str(error)) from error
        except (TypeError, ValueError) as error:  # not JSON, such as a number of 100 digits
            raise InvalidRequestError(str(error)) from error
        return int(answer.get("waiting", 0))


class _Sending:
    def __init__(self, taker: ScoreTaker, project: str) -> None:
        self.done = SentScores()
        self._taker = taker
        self._project = project
        self._held: list[tuple[str, Row]] = []
        self._of = ""
        self._schemes: dict[str, AbstractSet[str]] = {}

    def add(self, placed: PlacedRow) -> None:
        """Collect a row; rows of one project are sent together."""
        if (row := placed.row) is None:
            self.done.refuse(placed.place, placed.reason)
            return
        project = self._project or row.get("project") or ""
        if not isinstance(project, str):
            self.done.refuse(placed.place, "project: it is no text")
            return
        if self._is_annotators(row, project):
            self.done.left_out += 1
            return
        if project != self._of or len(self._held) >= AT_ONCE:
            self.flush()
        self._of = project
        self._held.append((placed.place, _item(row)))

    def flush(self) -> None:
        """Send the rows that are waiting."""
        held, self._held = self._held, []
        if held:
            self._send(held)

    def _send(self, held: Sequence[tuple[str, Row]]) -> None:
        """Send rows.

        If they are refused, send halves of them, so that a bad row is refused alone.
        """
        try:
            self.done.waiting += self._taker.store([item for _, item in held], self._of)
        except PermanentError as error:
            if len(held) == 1:
                self.done.refuse(held[0][0], str(error))
                return
            middle = len(held) // 2
            self._send(held[:middle])
            self._send(held[middle:])
        else:
            self.done.stored += len(held)

    def _is_annotators(self, row: Row, project: str) -> bool:
        """Return whether a score is one that the service computes from annotations."""
        if row.get("source") not in _OURS:
            return False
        if project not in self._schemes:
            self._schemes[project] = self._taker.schemes(project)
        return str(row.get("name")).removesuffix("/answer") in self._schemes[project]


def _item(row: Row) -> Row:
    item = {name: row[name] for name in _WRITTEN if row.get(name) is not None}
    if isinstance(at := item.get("at"), str) and at.isdecimal():
        item["at"] = int(at)
    if item.get("source") == "adjudication":
        item["source"] = "import"
    return item
