"""Converts the results of an evaluation to scores of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.transfer.score_rows import PlacedRow
from spanloom.core.model.span import TraceKey
from spanloom.core.records.score import ScoreItem
from spanloom.evaluation.contract.result import Result
from spanloom.judging.judging import Judged
from spanloom.judging.scores import scores_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.core.model.score import Score
    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.files.judging import Row

_SERVICES = frozenset({"at", "score_id"})
"""Members of a score that the service adds."""


def rows_of(
    rows: Iterable[Row], evaluators: Iterable[Evaluator], experiment: str
) -> Iterator[PlacedRow]:
    """Yield the results in a report as rows for ``POST /v1/scores``.

    A result without a run is a score of the item. Sending the rows again creates no new scores.
    """
    by_name = {one.name: one for one in evaluators}
    for row in rows:
        values = row.result
        result = Result.model_validate({name: values[name] for name in Result.model_fields})
        judged = Judged(result, row.view_fingerprint, by_name[result.evaluator])
        key = TraceKey(values["project"], values["trace_id"])
        (score,) = scores_of(
            *([judged], key, values["version"]),
            experiment=experiment,
            item=values["item"],
            repeat=values["repeat"],
        )
        yield PlacedRow(f"{values['item']}, {values['name']}", row_of(score))


def row_of(score: Score) -> dict[str, Any]:
    """Return a score as a row for ``POST /v1/scores``; the service sets its time and id."""
    row = ScoreItem.row_of(score)
    return {k: v for k, v in row.items() if k not in _SERVICES and v not in (None, "", [], {})}
