"""Judges a run as AgentEvals or OpenEvals does; the result is an error if the library raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.evaluation.contract.errors import ErrorCode, TooLargeError
from spanloom.evaluation.match.compat.answers import answer

if TYPE_CHECKING:
    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.match.config import MatchConfig
    from spanloom.evaluation.subject.run import Run
    from spanloom.evaluation.subject.subject import Subject

VERSIONS = {"agentevals": "0.0.9", "openevals": "0.2.2"}


def judge_as_library(
    subject: Subject, reference: Run, config: MatchConfig, results: Results
) -> Result:
    """Return the result of the library ``config.compat`` for the messages of run and reference."""
    name = f"{config.compat} {VERSIONS[str(config.compat)]}"
    ours, theirs = subject.run.messages, reference.messages
    try:
        is_match = answer(ours, theirs, config)
    except TooLargeError:
        raise
    except Exception as error:  # the library raises for this input, too
        reason = f"{name} raises for this input: {type(error).__name__}: {error}"
        return results.error(ErrorCode.REFERENCE_FAILED, reason[:1_000])
    words = "matches" if is_match else "does not match"
    return results.judged(is_match, is_match, rationale=f"by {name} the run {words}")
