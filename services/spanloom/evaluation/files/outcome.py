"""The outcome of an evaluation: measures, decisions of gates, a status and an exit status.

Exit statuses: 0 passed, or ``--gate`` was not set; 1 a gate failed; 3 undecided, even if a gate
failed; 130 interrupted. An invalid file (2) is refused earlier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanloom.evaluation.files.gates import FAILED, PASSED, UNDECIDED, Decision, decide
from spanloom.evaluation.files.measures import Measure, measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.files.config.reading import Config
    from spanloom.evaluation.files.judging import Judgement

GATE_FAILED, NOT_DECIDED, INTERRUPTED = 1, 3, 130


@dataclass(frozen=True, slots=True)
class Strictness:
    """The options for how strictly an evaluation is decided."""

    is_gate: bool = False
    """Whether gates decide the exit status."""
    needs_proof: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an evaluation."""

    measures: Mapping[str, Measure]
    """Measures, keyed by score, in the order of the evaluators."""
    decisions: Sequence[Decision]
    status: str
    exit_code: int
    reasons: Sequence[str]
    """Reasons other than undecided gates why nothing is decided."""


def conclude(
    config: Config,
    judgement: Judgement,
    bases: Mapping[str, Mapping[str, Measure]],
    strictness: Strictness,
    *,
    broken_off: str = "",
    is_interrupted: bool = False,
) -> Outcome:
    """Return the outcome of a judgement.

    ``bases`` are the measures of the reports that gates compare with, keyed by the report's name.
    ``broken_off`` is the reason why runs are missing, such as a service that did not answer.
    """
    measures = measure((row.result for row in judgement.rows()), config.scores)
    warns = config.warn_scores
    decisions = [
        decide(
            gate,
            measures[gate.score],
            bases.get(gate.no_worse_than or "", {}).get(gate.score),
            needs_proof=strictness.needs_proof,
            only_warns=gate.score in warns,
        )
        for gate in config.gates
    ]
    reasons = [broken_off] if broken_off else []
    reasons += _too_little(config, measures, is_gate=strictness.is_gate)
    status = _status(decisions, is_decided=not reasons and not is_interrupted)
    code = _exit_code(status, strictness, is_broken_off=bool(broken_off))
    return Outcome(measures, decisions, status, INTERRUPTED if is_interrupted else code, reasons)


def _too_little(config: Config, measures: Mapping[str, Measure], *, is_gate: bool) -> list[str]:
    errors = sum(one.statuses["error"] for one in measures.values())
    most = config.file.max_errors
    if most is None and is_gate:
        most = 0
    reasons = []
    if most is not None and errors > most:
        reasons.append(f"{errors} results of status error: more than max_errors {most}")
    items = len(set().union(*(one.judged for one in measures.values())))
    if items < config.file.min_items:
        reasons.append(f"{items} items have a result: fewer than min_items {config.file.min_items}")
    return reasons


def _status(decisions: Sequence[Decision], *, is_decided: bool) -> str:
    verdicts = {decision.verdict for decision in decisions}
    if not is_decided or UNDECIDED in verdicts:
        return UNDECIDED
    return FAILED if FAILED in verdicts else PASSED


def _exit_code(status: str, strictness: Strictness, *, is_broken_off: bool) -> int:
    if is_broken_off:
        return NOT_DECIDED
    if not strictness.is_gate:
        return 0
    return {PASSED: 0, FAILED: GATE_FAILED, UNDECIDED: NOT_DECIDED}[status]
