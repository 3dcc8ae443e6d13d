"""Makes the evaluator of a ``where``: ``{kind: where, expr: "input_tokens < 5000"}``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.of_document import row_of
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.evaluation.conditions.rationale import rationale_of
from spanloom.evaluation.conditions.scores import MissingScoreError, scores_read
from spanloom.evaluation.conditions.view import view_of
from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.evaluator import Judging, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.core.matching.compiled import RunTest
    from spanloom.core.matching.row import RunRow
    from spanloom.core.matching.verdict import Verdict
    from spanloom.core.query.where.tree import Condition
    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.subject.subject import Subject

_MISREAD = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
_SOME_TIME_NS = 10**18


class WhereConfig(BaseModel):
    """A condition on runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    expr: str = Field(description="A `where`, as lists of runs take it.")


def make_where(config: WhereConfig, results: Results) -> Judging:
    """Create the judging function for a condition.

    Raises ``InvalidEvaluatorError``, whose message has every problem.
    """
    where = _parsed(config.expr, _SOME_TIME_NS)
    judge = _Judge(where, _test_of(config.expr, where), results)
    return Judging(view_of(where), judge, (results.evaluator,))


WHERE = Kind(WhereConfig, make_where)


def _parsed(expr: str, now_ns: int) -> Condition:
    try:
        return parse_where(expr, now_ns)
    except InvalidWhereError as error:
        raise InvalidEvaluatorError("expr", str(error.args[0])) from error


def _test_of(expr: str, where: Condition) -> Callable[[], RunTest]:
    """Return a function that returns the compiled condition.

    A condition relative to now is compiled again for each run, because evaluators live for months.
    """
    if _parsed(expr, _SOME_TIME_NS + 1) == where:
        test = compile_for_runs(where)
        return lambda: test
    return lambda: compile_for_runs(_parsed(expr, time.time_ns()))


class _Judge:
    """Judges runs by one condition."""

    def __init__(self, where: Condition, test: Callable[[], RunTest], results: Results) -> None:
        self._where = where
        self._test = test
        self._results = results

    def __call__(self, subject: Subject) -> Iterator[Result]:
        document = subject.run.document
        try:
            scores = scores_read(self._where, subject)
        except MissingScoreError as error:
            yield self._results.error(ErrorCode.UNKNOWN_SCORE, str(error))
            return
        try:
            row = row_of(document)
            row.judgements = scores
            verdict = self._test()(row)
        except _MISREAD as error:
            reason = f"a member of the document has not the type of the schema: {error}"
            yield self._results.error(ErrorCode.UNREADABLE_RUN, reason)
            return
        yield self._judged(verdict, row)

    def _judged(self, verdict: Verdict, row: RunRow) -> Result:
        evidence = [Evidence(step_id=row.steps[at].step.id) for at in verdict.places]
        return self._results.judged(
            verdict.holds, verdict.holds, rationale=rationale_of(verdict), evidence=evidence
        )
