"""Stores the scores in a file of runs, in batches, each after the runs that were scored."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from spanloom.client.errors import ForbiddenError
from spanloom.client.transfer.score_rows import AT_ONCE, PlacedRow
from spanloom.client.transfer.scores import SentScores, ServiceScores, send_scores
from spanloom.core.formats.losses import Code, Losses

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.client.client import Client
    from spanloom.client.transfer.otlp_file import Piece
    from spanloom.core.exchange.reports import Report

StoreScores: TypeAlias = "Callable[[Sequence[PlacedRow]], SentScores]"
"""Stores scores of runs that were sent, and returns the result."""


def store_scores(client: Client, rows: Sequence[PlacedRow]) -> SentScores:
    """Store scores of runs that were sent; without permission all these scores are refused.

    Raises ``ClientError`` if the service does not answer.
    """
    try:
        return send_scores(ServiceScores(client), rows)
    except ForbiddenError as error:
        return refuse_scores(rows, str(error))


def refuse_scores(rows: Sequence[PlacedRow], reason: str) -> SentScores:
    """Refuse all scores, with one reason for all."""
    refused = [{"place": "scores", "reason": reason}]
    return SentScores(refused_scores=len(rows), refused=refused)


@dataclass(slots=True)
class Imported:
    """The result of importing a file."""

    file: str
    accepted_spans: int = 0
    rejected_spans: int = 0
    unchanged_runs: int = 0
    """Runs whose document, or all of whose spans, the service already has."""
    accepted_scores: int = 0
    """Number of scores that the service accepted, including scores that it had already."""
    rejected_scores: int = 0
    rejected: list[dict[str, str]] = field(default_factory=list)
    """Position and reason of the rejected requests and scores."""
    losses: dict[str, int] = field(default_factory=dict)
    """Number of values that the runs lack because of the file's format, keyed by code."""


class RunScores:
    """Collects the scores of runs until they fill a request."""

    def __init__(self, store: StoreScores) -> None:
        """Start without scores."""
        self._store = store
        self._rows: list[PlacedRow] = []

    def add(self, piece: Piece, done: Imported, report: Report) -> None:
        """Add the scores of an accepted run."""
        project = piece.run.project if piece.run else ""
        for row in piece.scores:
            place = f"{piece.place}: score {row['name']}"
            self._rows.append(PlacedRow(place, {**row, "project": project}))
        if len(self._rows) >= AT_ONCE:
            self.finish(done, report)

    def finish(self, done: Imported, report: Report) -> None:
        """Store the collected scores; ``done`` lists rejected scores and counts them as lost."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        sent = self._store(rows)
        done.accepted_scores += sent.stored
        done.rejected_scores += sent.refused_scores
        done.rejected += [one for one in sent.refused if one not in done.rejected]
        lost = Losses()
        lost.note(Code.SCORES_DROPPED, times=sent.refused_scores + sent.left_out)
        if lost.counts:
            report.lose("", lost)
            both = Counter(done.losses) + Counter(dict(lost.counts))
            done.losses = {str(code): both[code] for code in sorted(both)}
