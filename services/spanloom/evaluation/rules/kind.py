"""The kind ``rules``: named rules, with one result for each, ``EVALUATOR/RULE``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError, TooLargeError
from spanloom.evaluation.evaluator import Judging, Kind
from spanloom.evaluation.rules.facts import Facts
from spanloom.evaluation.rules.reading import read_rules
from spanloom.evaluation.rules.rule import (
    MAX_EVIDENCE,
    NotApplicableError,
    Verdict,
)
from spanloom.evaluation.subject.expected import UnreadableExpectedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.rules.reading import ReadyRule
    from spanloom.evaluation.rules.rule import Check
    from spanloom.evaluation.subject.subject import Subject


class RulesConfig(BaseModel):
    """The configuration of an evaluator of named rules."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: dict[str, Any] = Field(
        min_length=1,
        description="Rules by name: a value, or `{value, severity: error|warn, per: run|agent}`.",
    )


def _make(config: RulesConfig, results: Results) -> Judging:
    try:
        rules = read_rules(config.rules)
    except InvalidEvaluatorError as error:
        raise error.inside("rules") from error

    def judge(subject: Subject) -> Iterator[Result]:
        facts = Facts(subject.run.document)
        for ready in _with_those_of_item(rules, config.rules, subject):
            yield _judge_one(ready, facts, results)

    return Judging(
        view=frozenset().union(*(ready.rule.reads for ready in rules)),
        judge=judge,
        scores=tuple(f"{results.evaluator}/{ready.name}" for ready in rules),
        warn_scores=frozenset(
            f"{results.evaluator}/{ready.name}" for ready in rules if ready.is_warning
        ),
    )


RULES_KIND: Final = Kind(RulesConfig, _make)


def _with_those_of_item(
    rules: Sequence[ReadyRule], config: Mapping[str, Any], subject: Subject
) -> Sequence[ReadyRule]:
    """Return the rules; values in ``expected.rules`` of the item replace configured values."""
    of_item = subject.expected.rules
    if not of_item:
        return rules
    if not isinstance(of_item, dict):
        raise UnreadableExpectedError("expected.rules: it is no mapping of rules by name")
    try:
        return read_rules({**config, **{k: v for k, v in of_item.items() if k in config}})
    except InvalidEvaluatorError as error:
        raise UnreadableExpectedError(f"expected.rules.{error}") from error


def _judge_one(ready: ReadyRule, facts: Facts, results: Results) -> Result:
    name = f"{results.evaluator}/{ready.name}"
    try:
        verdict = (_by_agent if ready.is_per_agent else _of_run)(ready.check, facts)
    except NotApplicableError as error:
        return results.na(str(error), name=name)
    except TooLargeError as error:
        return results.error(error.code, str(error), name=name)
    except Exception as error:  # a rule that fails never stops the others
        reason = f"{type(error).__name__}: {error}"[:1_000]
        return results.error(ErrorCode.CRASHED, reason, name=name)
    return results.judged(
        verdict.passed,
        verdict.passed,
        name=name,
        label="warn" if ready.is_warning else "",
        rationale=verdict.rationale,
        evidence=verdict.evidence,
        metrics=verdict.metrics,
        warnings=verdict.warnings,
    )


def _of_run(check: Check, facts: Facts) -> Verdict:
    return check(facts)


def _by_agent(check: Check, facts: Facts) -> Verdict:
    """Judge each agent; all must pass, and an agent that cannot be judged does not pass."""
    verdicts: list[tuple[str, Verdict]] = []
    unknown: list[str] = []
    for one in facts.each_agent():
        try:
            verdicts.append((one.top.name, check(one)))
        except NotApplicableError as error:
            unknown.append(f"agent {one.top.name}: {error}")
    failed = [(name, verdict) for name, verdict in verdicts if not verdict.passed]
    if not failed and (unknown or not verdicts):
        raise NotApplicableError(unknown[0] if unknown else "the run has no agent")
    decisive = failed or verdicts
    evidence = [place for _, verdict in decisive for place in verdict.evidence]
    return Verdict(
        not failed,
        "; ".join(f"agent {name}: {verdict.rationale}" for name, verdict in decisive[:5]),
        evidence[:MAX_EVIDENCE],
        _greatest([verdict.metrics for _, verdict in verdicts]),
        list(dict.fromkeys(one for _, verdict in verdicts for one in verdict.warnings)),
    )


def _greatest(metrics: Sequence[Mapping[str, float | None]]) -> Mapping[str, float | None]:
    names = dict.fromkeys(name for one in metrics for name in one)
    return {name: max((one.get(name) or 0.0) for one in metrics) for name in names}
