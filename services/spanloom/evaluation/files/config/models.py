"""The model of ``eval.yaml``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

Stat = Literal["pass_rate", "mean", "min", "max", "p50", "p95", "count"]
WITH_INTERVAL = frozenset({"pass_rate", "mean"})
"""Statistics that have a confidence interval."""
LONGEST_NAME = 255


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is needed, not a boolean")
    return value


Number = Annotated[float, BeforeValidator(_no_boolean), Field(allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunsQuery(_Strict):
    """Which stored runs are judged; without a member all of them."""

    project: Text | None = Field(None, description="Only of this project.")
    where: str | None = Field(None, description="Only runs for which this question holds.")
    since: Text | None = Field(None, description="Begun at or after: `7d` ago, a date, a time.")
    until: Text | None = Field(None, description="Begun before; like `since`.")
    limit: Annotated[StrictInt, Field(ge=1)] | None = Field(
        None, description="Maximum number of runs, newest first."
    )


class Gate(_Strict):
    """A bound on a statistic of a score, or on what it lost against another report."""

    score: str = Field(description="The name of a score that an evaluator of the file gives.")
    stat: Stat | None = Field(
        None, description="Over the items; default `pass_rate`, of numbers alone `mean`."
    )
    min: Number | None = Field(None, description="At least this.")
    max: Number | None = Field(None, description="At most this.")
    bound: Literal["lower", "upper"] | None = Field(
        None, description="Compare this end of the 95 % interval in place of the value."
    )
    no_worse_than: Text | None = Field(
        None, description="A report: the interval of the paired difference is above -`margin`."
    )
    margin: Annotated[Number, Field(ge=0)] | None = Field(None, description="Default 0.")

    @property
    def is_relative(self) -> bool:
        """Whether the gate compares with another report."""
        return self.no_worse_than is not None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        has_limit = self.min is not None or self.max is not None
        if has_limit == self.is_relative:
            raise ValueError("one of min, max and no_worse_than is needed")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min {self.min:g} is above max {self.max:g}")
        if self.margin is not None and not self.is_relative:
            raise ValueError("margin belongs to no_worse_than")
        needs_interval = self.bound is not None or self.is_relative
        if needs_interval and (self.stat or "mean") not in WITH_INTERVAL:
            raise ValueError(f"{self.stat} has no interval: only pass_rate and mean have")
        if self.bound is not None and self.is_relative:
            raise ValueError("no_worse_than already uses the lower end: leave out bound")
        return self


class EvalFile(_Strict):
    """A file of evaluators and gates, `eval.yaml`."""

    name: Text | None = Field(None, description="Of the experiment; default: that of the file.")
    runs: RunsQuery | None = Field(None, description="The stored runs to judge.")
    evaluators: list[dict[str, Any]] = Field(
        min_length=1, description="Each a mapping with `name`, `kind` and the keys of its kind."
    )
    gates: list[Gate] = Field([], description="What has to hold with `--gate`.")
    max_errors: Annotated[StrictInt, Field(ge=0)] | None = Field(
        None, description="Results of status `error` that are tolerated; default 0 with `--gate`."
    )
    min_items: Annotated[StrictInt, Field(ge=0)] = Field(
        0, description="With fewer items that have a result, nothing is decided."
    )
