"""The evaluator kind ``match``: the data it reads, and how it compares a run with a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.evaluator import Judging, Kind
from spanloom.evaluation.match.compared import compare
from spanloom.evaluation.match.compat.judge import judge_as_library
from spanloom.evaluation.match.config import MatchConfig, check_compat
from spanloom.evaluation.match.difference import LISTS
from spanloom.evaluation.match.turns import differ, turns_of
from spanloom.evaluation.subject.calls import calls_of, not_objects
from spanloom.evaluation.subject.canonical import Budget
from spanloom.evaluation.subject.run import UnreadableRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.match.compared import Compared
    from spanloom.evaluation.match.difference import Difference
    from spanloom.evaluation.subject.run import Run
    from spanloom.evaluation.subject.subject import Subject

MAX_EVIDENCE = 100
_NAMED = frozenset({Part.TYPES, Part.NAMES, Part.TIMES})
_PAIRED = _NAMED | {Part.ARGUMENTS, Part.OUTPUTS, Part.METADATA, Part.ERRORS}
"""The data of paired calls: errors show retries, outputs may have arguments that inputs lack."""
_MESSAGES = frozenset(
    {Part.TYPES, Part.NAMES, Part.IDS, Part.INPUTS, Part.OUTPUTS, Part.ERRORS, Part.METADATA}
)
"""The data of a conversation; its texts are not compared, but decide which messages are new."""
_VIEWS: dict[str, AbstractSet[Part]] = {
    "ran": _PAIRED,
    "requested": _PAIRED,
    "agents": _NAMED | {Part.IDS},
    "steps": _PAIRED,
    "graph": _NAMED | {Part.METADATA},
}
_OF_MESSAGES = frozenset({"ran", "requested"})
"""Values of ``of`` with which ``strict`` compares messages; with others it compares the order."""


def make_match(config: MatchConfig, results: Results) -> Judging:
    """Create the judging function for a configuration; raises ``InvalidEvaluatorError``."""
    judge = _judge
    if config.compat is not None:
        check_compat(config)
        judge = judge_as_library
    is_strict = config.mode == "strict" and config.of in _OF_MESSAGES
    view = _MESSAGES if config.compat or is_strict else _VIEWS[config.of]
    return Judging(
        view, lambda subject: [_guarded(judge, subject, config, results)], (results.evaluator,)
    )


MATCH = Kind(MatchConfig, make_match)


def _guarded(
    judge: Callable[[Subject, Run, MatchConfig, Results], Result],
    subject: Subject,
    config: MatchConfig,
    results: Results,
) -> Result:
    """Judge a run; ``na`` if there is no reference, an error if run or reference is unreadable."""
    subject.run  # noqa: B018  # raises for an unreadable run
    try:
        reference = subject.reference
        if reference is not None and not (reference.is_messages and config.of in _OF_MESSAGES):
            reference.document  # noqa: B018  # read here to attribute its faults to the reference
    except UnreadableRunError as error:
        return results.error(ErrorCode.UNREADABLE_EXPECTED, f"reference: {error}")
    if reference is None:
        return results.na("there is no reference: no expected.trajectory, no expected.tool_calls")
    return judge(subject, reference, config, results)


def _judge(subject: Subject, reference: Run, config: MatchConfig, results: Results) -> Result:
    run, budget = subject.run, Budget()
    has_messages = subject.expected.trajectory is not None  # not only tool calls
    if config.mode == "strict" and config.of in _OF_MESSAGES and has_messages:
        ours, theirs = turns_of(run), turns_of(reference)
        compared = compare(ours.calls, theirs.calls, config, budget)
        difference = differ(ours.turns, theirs.turns, compared)
        is_empty = not theirs.turns
    else:
        mine, due = (
            calls_of(one, config.of, retries=config.retries, budget=budget)
            for one in (run, reference)
        )
        compared = compare(mine, due, config, budget)
        difference = LISTS["exact" if config.mode == "strict" else config.mode](compared)
        is_empty = not compared.reference
    if config.of == "graph" and is_empty and not compared.actual:
        return results.na("neither run has nodes of a graph")
    return _result(compared, difference, is_empty, results)


def _result(
    compared: Compared, difference: Difference | None, is_empty: bool, results: Results
) -> Result:
    is_match = difference is None
    return results.judged(
        is_match,
        is_match,
        rationale=_agreement(compared) if difference is None else difference.words,
        evidence=_evidence(compared, () if difference is None else difference.calls),
        metrics=compared.metrics(),
        warnings=list(_warnings(compared, is_empty)),
    )


def _evidence(compared: Compared, calls: Iterable[int]) -> Sequence[Evidence]:
    """Return the steps of calls, each once."""
    steps = dict.fromkeys(compared.actual[at].step_id for at in calls)
    return [Evidence(step_id=step_id) for step_id in list(steps)[:MAX_EVIDENCE]]


def _warnings(compared: Compared, is_empty: bool) -> Iterable[str]:
    if not_objects(compared.actual) or not_objects(compared.reference):
        yield "args_not_object"
    if is_empty:
        yield "empty_reference"
    if compared.is_first_fit:
        yield "first_fit"


def _agreement(compared: Compared) -> str:
    ours, theirs = len(compared.actual), len(compared.reference)
    return f"the run matches: {ours} call{'s' * (ours != 1)}, {theirs} in the reference"
