"""Stores scores from rows of files in a service, in batches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.client.calls.scores import write_scores
from spanloom.client.errors import ApiError
from spanloom.client.transfer.score_rows import AT_ONCE
from spanloom.core.errors import InvalidRequestError, PermanentError
from spanloom.core.model.score import ADJUDICATION, IMPORT, OF_ANNOTATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.client.client import Client
    from spanloom.client.transfer.score_rows import PlacedRow, Row
    from spanloom.core.ports.importing import ScoreTaker

MOST_SHOWN = 1_000
"""Maximum number of refusals that are stored."""
_REFUSED = frozenset({404, 413, 422})
_WRITTEN = (
    *("trace_id", "name", "source", "author", "target", "step_id", "conversation_id", "value"),
    *("value_type", "label", "passed", "is_complete", "status", "error_code", "rationale"),
    *("evidence", "evaluator_version", "config_hash", "rule_id", "experiment", "item", "repeat"),
    *("judged_version", "input_tokens", "output_tokens", "cost", "view_fingerprint"),
    *("coverage", "cached", "metrics", "at", "is_deleted"),
)
"""The members of a row that the service accepts; the service computes all other members."""


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
        if row.get("source") not in OF_ANNOTATIONS:
            return False
        if project not in self._schemes:
            self._schemes[project] = self._taker.schemes(project)
        return str(row.get("name")).removesuffix("/answer") in self._schemes[project]


def _item(row: Row) -> Row:
    item = {name: row[name] for name in _WRITTEN if row.get(name) is not None}
    if isinstance(at := item.get("at"), str) and at.isdecimal():
        item["at"] = int(at)
    if item.get("source") == ADJUDICATION:
        item["source"] = IMPORT
    return item
