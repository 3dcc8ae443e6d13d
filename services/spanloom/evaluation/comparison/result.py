"""The result of a comparison of two sets of runs: ``spanloom.behaviour/1``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ComparedSide(BaseModel):
    """One of the two sets."""

    model_config = ConfigDict(extra="forbid")

    runs: int
    clusters: int = Field(
        description="Conversations, items and single runs, each drawn as a whole."
    )
    question: str = Field(description="The `where` of the set; empty if documents were compared.")


class BehaviourChange(BaseModel):
    """One feature or number that changed from A to B."""

    model_config = ConfigDict(extra="forbid")

    feature: str
    kind: Literal["share", "number"]
    a: float = Field(description="Share of the runs of A that have it, or the mean over A.")
    b: float
    difference: float = Field(description="B less A.")
    low: float = Field(description="The lower end of its 95 % interval.")
    high: float
    median_a: float | None = Field(None, description="Of a number.")
    median_b: float | None = None
    median_difference: float | None = None
    median_low: float | None = None
    median_high: float | None = None
    p_holm: float = Field(description="The p-value, corrected for all that was compared.")
    n_a: int = Field(description="Number of runs of A that `runs_a` selects.")
    n_b: int
    runs_a: str = Field(description="The `where` that lists the runs counted in `a`.")
    runs_b: str
    words: str


class OnlyInOne(BaseModel):
    """A feature that only one set has."""

    model_config = ConfigDict(extra="forbid")

    feature: str
    runs: int
    line: str = Field(description="The `where` that selects them.")


class Behaviour(BaseModel):
    """How the behaviour of agents differs between two sets of runs."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["spanloom.behaviour/1"] = "spanloom.behaviour/1"
    a: ComparedSide
    b: ComparedSide
    differences: list[BehaviourChange] = Field(description="The most certain change first.")
    no_difference_shown: int = Field(description="Features and numbers without a difference.")
    only_a: list[OnlyInOne]
    only_b: list[OnlyInOne]
    remarks: list[str] = Field(description="Why something is missing.")
