"""The result of an evaluator: the same object in Python, JSON files and HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from spanloom.core.model.score import Status  # noqa: TC001  # read at runtime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.contract.errors import ErrorCode

Value = bool | int | float | str | None


class Evidence(BaseModel):
    """A step that shows why, or a part of one of its texts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step_id: str = Field(description="The span id of the step; of messages, their position.")
    field: str | None = Field(None, description="The text that shows it, such as `input`.")
    start: int | None = Field(None, description="Where it begins, in characters from 0.")
    end: int | None = Field(None, description="Where it ends, in characters, exclusive.")


class Result(BaseModel):
    """One judgement of one run. If `status` is not `ok`, `value` and `passed` are null."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="The name of the score.")
    evaluator: str = Field(description="The name of the evaluator.")
    kind: str = Field(description="The kind of the evaluator, such as `match`.")
    status: Status = Field(
        description="`na`: it does not apply, such as a match without a reference; "
        "`skipped`: the budget was spent."
    )
    value: Value = Field(None, description="A number, a boolean or a category.")
    passed: bool | None = Field(
        None, description="Whether it passed, if the evaluator decides that."
    )
    label: str = Field("", description="What a number or boolean means, in words.")
    rationale: str = Field("", description="Why, in words.")
    evidence: tuple[Evidence, ...] = Field((), description="The steps that show it.")
    metrics: dict[str, float | None] = Field({}, description="Further numbers, by name.")
    warnings: tuple[str, ...] = Field((), description="What was odd about the input.")
    error_code: str = Field("", description="Of an error, such as `unreadable_run`.")
    cost_usd: float | None = Field(None, description="Cost of the evaluation, in US dollars.")
    coverage: float | None = Field(
        None, description="The share of the run that was read, 0 to 1; null: all of it."
    )

    def to_json(self) -> dict[str, Any]:  # JSON values
        """Return the result as a JSON object with all members."""
        return self.model_dump(mode="json")


class Results(NamedTuple):
    """Makes the results of one evaluator."""

    evaluator: str
    kind: str

    def judged(  # the members of a result, all of them optional
        self,
        value: Value,
        passed: bool | None = None,  # a member of the result
        *,
        name: str = "",
        label: str = "",
        rationale: str = "",
        evidence: Sequence[Evidence] = (),
        metrics: Mapping[str, float | None] | None = None,
        warnings: Sequence[str] = (),
        cost_usd: float | None = None,
        coverage: float | None = None,
    ) -> Result:
        """Return a judgement; ``name`` is its score's name, by default the evaluator's name."""
        return Result.model_construct(
            name=name or self.evaluator,
            evaluator=self.evaluator,
            kind=self.kind,
            status="ok",
            value=value,
            passed=passed,
            label=label,
            rationale=rationale,
            evidence=tuple(evidence),
            metrics=dict(metrics or {}),
            warnings=tuple(warnings),
            cost_usd=cost_usd,
            coverage=coverage,
        )

    def na(self, reason: str, *, name: str = "", warnings: Sequence[str] = ()) -> Result:
        """Return the result of an evaluator that does not apply to the run."""
        return self._without_value("na", name, reason, warnings=tuple(warnings))

    def skipped(
        self,
        reason: str,
        *,
        name: str = "",
        metrics: Mapping[str, float | None] | None = None,
        cost_usd: float | None = None,
    ) -> Result:
        """Return the result of an evaluator that did not run because its budget is spent."""
        return self._without_value(
            "skipped", name, reason, metrics=dict(metrics or {}), cost_usd=cost_usd
        )

    def error(
        self,
        code: ErrorCode,
        reason: str,
        *,
        name: str = "",
        metrics: Mapping[str, float | None] | None = None,
        warnings: Sequence[str] = (),
        cost_usd: float | None = None,
    ) -> Result:
        """Return the result of an evaluator that could not judge. An error is never a score."""
        return self._without_value(
            "error",
            name,
            reason,
            error_code=code.value,
            metrics=dict(metrics or {}),
            warnings=tuple(warnings),
            cost_usd=cost_usd,
        )

    def _without_value(self, status: Status, name: str, reason: str, **others: Any) -> Result:
        return Result.model_construct(
            name=name or self.evaluator,
            evaluator=self.evaluator,
            kind=self.kind,
            status=status,
            rationale=reason,
            **{"metrics": {}, **others},
        )
