"""Judges a run with evaluators: ``spanloom.evaluate``, also used by commands and the service."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

from spanloom.evaluation.contract.errors import ErrorCode, TooLargeError
from spanloom.evaluation.contract.result import Result, Results
from spanloom.evaluation.contract.view import named_fingerprint
from spanloom.evaluation.making import make_evaluators
from spanloom.evaluation.subject.expected import UnreadableExpectedError
from spanloom.evaluation.subject.run import UnreadableRunError
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.subject.run import Run


def evaluate(
    run: object,
    evaluators: object,
    *,
    reference: object = None,
    expected: Mapping[str, Any] | None = None,  # JSON values
    allow_code: bool = False,
) -> list[dict[str, Any]]:  # JSON values
    """Judge one run, and return the results as JSON objects, in the order of the evaluators.

    ``run`` and ``reference`` are documents (mapping, text or bytes; canonical or Coze's) or lists
    of OpenAI messages; ``reference`` is short for ``expected["trajectory"]``. ``evaluators`` are
    one or several mappings ``{"kind", "name"?, …}``, or callables ``(document, expected)``;
    ``allow_code`` allows evaluators of the kind ``python``, which run the code of a file.

    Raises ``InvalidEvaluatorError`` for an invalid evaluator. A run that cannot be judged raises no
    error; its results have the status ``error``.
    """
    made = make_evaluators(evaluators, allow_code=allow_code)
    expectation = dict(expected or {})
    if reference is not None:
        expectation["trajectory"] = reference
    return [result.to_json() for result in judge(Subject(run, expectation), made)]


async def aevaluate(
    run: object,
    evaluators: object,
    *,
    reference: object = None,
    expected: Mapping[str, Any] | None = None,  # JSON values
    allow_code: bool = False,
) -> list[dict[str, Any]]:  # JSON values
    """Judge one run as ``evaluate`` does, in another thread, without blocking the event loop.

    Raises the errors of ``evaluate``.
    """
    return await asyncio.to_thread(
        evaluate, run, evaluators, reference=reference, expected=expected, allow_code=allow_code
    )


def judge(subject: Subject, evaluators: Sequence[Evaluator]) -> Iterator[Result]:
    """Yield the results of all evaluators; a failing evaluator never stops the next."""
    for evaluator in evaluators:
        for result in judge_one(subject, evaluator):
            subject.earlier.append(result)
            yield result


def fingerprints(run: Run, evaluators: Sequence[Evaluator]) -> Mapping[str, str]:
    """Return the fingerprint of each evaluator's view of a run, keyed by the evaluator's name.

    Fingerprints are empty for a run that cannot be read.
    """
    views = {one.name: frozenset(one.judging.view) for one in evaluators}
    try:
        made = {view: named_fingerprint(run.document, view) for view in set(views.values())}
    except Exception:  # it becomes an error of each evaluator
        return dict.fromkeys(views, "")
    return {name: made[view] for name, view in views.items()}


def judge_one(subject: Subject, evaluator: Evaluator) -> Sequence[Result]:
    """Return the results of one evaluator: one for each of its scores, even if it fails."""
    results = Results(evaluator.name, evaluator.kind)
    try:
        return [_finite(result, results) for result in evaluator.judging.judge(subject)]
    except UnreadableRunError as error:
        code, reason = ErrorCode.UNREADABLE_RUN, str(error)
    except UnreadableExpectedError as error:
        code, reason = ErrorCode.UNREADABLE_EXPECTED, str(error)
    except TooLargeError as error:
        code, reason = error.code, str(error)
    except Exception as error:  # one evaluator never stops the others
        code, reason = ErrorCode.CRASHED, f"{type(error).__name__}: {error}"[:1_000]
    return [results.error(code, reason, name=name) for name in evaluator.judging.scores]


def _finite(result: Result, results: Results) -> Result:
    if not isinstance(result.value, float) or math.isfinite(result.value):
        return result
    return results.error(
        ErrorCode.NOT_FINITE, f"the value is {result.value}: a number is needed", name=result.name
    )
