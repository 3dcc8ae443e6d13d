"""The report ``spanloom.eval/1``: its model, its JSON Schema, and its bytes.

It contains no times: the same runs give the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.score import Status  # noqa: TC001  # read at runtime
from spanloom.evaluation.contract.result import Result, Value
from spanloom.evaluation.files.config.models import Stat  # noqa: TC001  # read at runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.evaluation.files.config.reading import Config
    from spanloom.evaluation.files.judging import Judgement
    from spanloom.evaluation.files.measures import Measure
    from spanloom.evaluation.files.outcome import Outcome

FORMAT = "spanloom.eval/1"
Verdict = Literal["passed", "failed", "undecided"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class EvaluatorRow(_Model):
    """An evaluator of the file."""

    name: str
    kind: str
    version: str = Field(description="Changes when the same configuration may judge otherwise.")
    config_hash: str = Field(description="SHA-256 of the canonical JSON of its configuration.")


class ScoreSummary(_Model):
    """Statistics of the results of a score. Repeats of an item are averaged first."""

    n: int = Field(description="Results of all statuses.")
    ok: int
    na: int
    error: int
    skipped: int
    passed: int = Field(description="Results that passed.")
    pass_rate: float | None = Field(
        description="Over the items; null if no result passes or fails."
    )
    mean: float | None = Field(description="Over the items; null if no result is a number.")
    low: float | None = Field(
        description="Lower end of the 95 % interval of `pass_rate`, or else of `mean`."
    )
    high: float | None = Field(description="Its upper end.")


class GateRow(_Model):
    """A gate, and its verdict."""

    score: str
    stat: Stat
    min: float | None = None
    max: float | None = None
    bound: Literal["lower", "upper"] | None = None
    no_worse_than: str | None = None
    margin: float | None = None
    value: float | None = Field(description="The statistic, or the paired difference.")
    low: float | None = Field(description="Lower end of its 95 % interval.")
    high: float | None = Field(description="Its upper end.")
    verdict: Verdict
    reason: str


class ResultRow(Result):
    """A result, and what was judged."""

    model_config = ConfigDict(extra="forbid")

    item: str = Field(description="The key of the item; without an item, the trace id of the run.")
    repeat: int = Field(description="From 0: the number of the run among those of its item.")
    trace_id: str = Field(description="Empty: the item has no run.")
    project: str
    version: int = Field(description="Of the trajectory; 0: unknown.")


class Report(_Model):
    """The result of `spanloom eval run`."""

    format: Literal["spanloom.eval/1"]
    name: str = Field(description="Of the experiment.")
    status: Verdict = Field(description="What the gates come to, whether they were asked for.")
    exit_code: int
    runs: int
    items: int
    evaluators: list[EvaluatorRow]
    summary: dict[str, ScoreSummary] = Field(description="By the name of the score.")
    gates: list[GateRow]
    results: list[ResultRow] = Field(description="By item, repeat, evaluator.")


def report_schema() -> dict[str, Any]:  # JSON values
    """Return the JSON Schema of a report."""
    return Report.model_json_schema()


def head_of(config: Config, judgement: Judgement, outcome: Outcome) -> dict[str, Any]:
    """Return the report of a file, without its results."""
    return make_head(config.name, list(map(evaluator_row, config.evaluators)), judgement, outcome)


def make_head(
    name: str, evaluators: Sequence[Mapping[str, Any]], judgement: Judgement, outcome: Outcome
) -> dict[str, Any]:
    """Return a report without its results; ``evaluators`` are its evaluator rows."""
    return {
        "format": FORMAT,
        "name": name,
        "status": outcome.status,
        "exit_code": outcome.exit_code,
        "runs": judgement.runs,
        "items": judgement.item_count,
        "evaluators": list(evaluators),
        "summary": {score: summary_of(one) for score, one in outcome.measures.items()},
        "gates": [decision.to_json() for decision in outcome.decisions],
    }


def evaluator_row(evaluator: Evaluator) -> dict[str, str]:
    """Return the row of an evaluator in a report."""
    return {
        "name": evaluator.name,
        "kind": evaluator.kind,
        "version": evaluator.judging.version,
        "config_hash": evaluator.config_hash,
    }


def summary_of(measure: Measure) -> Mapping[str, Any]:  # JSON values
    """Return the summary of a score."""
    rate, usual = measure.estimate("pass_rate"), measure.usual()
    counts = {status: measure.statuses[status] for status in ("ok", "na", "error", "skipped")}
    return {
        "n": measure.statuses.total(),
        **counts,
        "passed": measure.passed,
        "pass_rate": rate and rate.value,
        "mean": measure.mean,
        "low": usual and usual.low,
        "high": usual and usual.high,
    }


def report_lines(head: Mapping[str, Any], judgement: Judgement) -> Iterator[bytes]:
    """Yield the bytes of a report, each result on a line of its own."""
    yield dump(dict(head))[:-1] + b',"results":['
    begin = b"\n"
    for row in judgement.rows():
        yield begin + dump(row.result)
        begin = b",\n"
    yield b"]}\n"


class ReadRow(BaseModel):
    """The members of a result that are read from a report; others are ignored."""

    model_config = ConfigDict(allow_inf_nan=False)

    name: str
    status: Status
    item: str
    value: Value = None
    passed: bool | None = None
    kind: str = ""


class ReadGate(BaseModel):
    """The members of a gate that are read from a report."""

    model_config = ConfigDict(allow_inf_nan=False)

    score: str
    min: float | None = None
    max: float | None = None


class ReadReport(BaseModel):
    """A report to compare with, written by this version or a later one."""

    format: Literal["spanloom.eval/1"]
    name: str = ""
    results: list[ReadRow]
    gates: list[ReadGate] = []
