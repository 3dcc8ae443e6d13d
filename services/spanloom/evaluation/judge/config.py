"""The configuration of the evaluator kind ``judge``."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  # read at runtime
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    model_validator,
)

MAX_CRITERIA = 20_000
CONTEXT_TOKENS = 32_000
"""The default context size; it is never guessed from the model's name."""
OUTPUT_TOKENS = 1_000
MARGIN = 0.1
"""The share of the context that stays free, because token counts are estimates."""
WINDOWS = 8
MAX_WINDOWS = 64
_SMALLEST = 512
"""Minimum tokens that must remain for a run."""


def _number(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is needed, not a boolean")
    return value


def _defined(value: object) -> object:
    """Return categories with their definitions, which are empty for a list."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        if len(set(value)) < len(value):
            raise ValueError("a category is there twice")
        return dict.fromkeys(value, "")
    return value


Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Count = Annotated[StrictInt, Field(ge=1)]
Category = Annotated[str, Field(min_length=1, max_length=1_000)]


ModelName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9/-]*:\S+$", max_length=255)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True)


class Scale(_Strict):
    """A range of numbers, including both ends."""

    min: Number
    max: Number

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.min >= self.max:
            raise ValueError(f"min {self.min:g} is not below max {self.max:g}")
        return self


class Budget(_Strict):
    """Hard limits on all calls of one evaluator; runs beyond them are `skipped`."""

    usd: Annotated[Number, Field(ge=0)] | None = Field(None, description="US dollars.")
    tokens: Annotated[StrictInt, Field(ge=0)] | None = Field(
        None, description="Input and output tokens."
    )
    calls: Annotated[StrictInt, Field(ge=0)] | None = Field(None, description="Requests.")
    per: Literal["run", "day"] = Field(
        "run", description="`day`: of UTC, for all processes of a user."
    )


class Limits(_Strict):
    """Limits per minute; a request waits until they allow it."""

    requests_per_minute: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="Requests to the model."
    )
    tokens_per_minute: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="In and out; those of an answer are counted as `output_tokens` at first."
    )


class ModelConfig(_Strict):
    """A model, the settings of requests to it, and their limits and budget."""

    model: ModelName = Field(
        description="As pydantic-ai names it: `openai-chat:gpt-4o-mini`, `anthropic:…`.",
    )
    votes: Annotated[StrictInt, Field(ge=1, le=25)] = Field(
        1, description="How often the model is asked; odd."
    )
    tries: Annotated[StrictInt, Field(ge=1, le=10)] = Field(
        4, description="Requests for one answer, the first among them."
    )
    timeout_s: Annotated[Number, Field(gt=0, le=3_600)] = Field(
        60, description="Seconds for one request."
    )
    budget: Budget = Field(Budget(), description="Hard limits.")
    limits: Limits = Field(Limits(), description="Limits of each minute.")
    temperature: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="Sent only if it is set: some models refuse it."
    )
    seed: StrictInt | None = Field(None, description="Sent only if it is set.")
    context_tokens: Count = Field(
        CONTEXT_TOKENS, description="What the model reads and writes at most in one request."
    )
    output_tokens: Count = Field(OUTPUT_TOKENS, description="What it writes at most, thoughts too.")
    windows: Annotated[StrictInt, Field(ge=1, le=MAX_WINDOWS)] = Field(
        WINDOWS, description="Parts in which a run that is too long for one request is read."
    )
    canary: Literal["asked", "required", "none"] = Field(
        "asked", description="Whether each answer has to show that the task was followed."
    )

    @property
    def input_tokens(self) -> int:
        """The limit of tokens in a prompt."""
        return int(self.context_tokens * (1 - MARGIN)) - self.output_tokens

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.votes % 2 == 0:
            raise ValueError(f"votes is odd, so that one value wins, not {self.votes}")
        if self.input_tokens < _SMALLEST:
            raise ValueError(
                f"context_tokens: {self.context_tokens} leave {max(self.input_tokens, 0)} for a run"
                f" beside output_tokens {self.output_tokens}; {_SMALLEST} are needed"
            )
        return self


class JudgeConfig(ModelConfig):
    """A model, and the criteria by which it judges."""

    criteria: str = Field(
        min_length=1, max_length=MAX_CRITERIA, description="In words what is good and what is not."
    )
    values: Annotated[Mapping[Category, str], BeforeValidator(_defined)] | None = Field(
        None, description="The categories: a list, or a mapping of each to its definition."
    )
    passing: list[Category] | None = Field(
        None, alias="pass", description="The categories that are good enough."
    )
    scale: Scale | None = Field(None, description="The value is a number from `min` to `max`.")
    threshold: Number | None = Field(None, description="Numbers from here on are good enough.")
    boolean: StrictBool | None = Field(
        None, description="The value is true or false; so it is without `values` and `scale`."
    )

    @property
    def form(self) -> Literal["category", "number", "boolean"]:
        """The type of the values that the model gives."""
        if self.values is not None:
            return "category"
        return "boolean" if self.scale is None else "number"

    def passes(self, value: bool | float | str) -> bool | None:
        """Return whether a value passes; ``None`` if no threshold is configured."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str):
            return None if self.passing is None else value in self.passing
        return None if self.threshold is None else value >= self.threshold

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        forms = [self.values is not None, self.scale is not None, bool(self.boolean)]
        if sum(forms) > 1 or (self.boolean is False and not any(forms)):
            raise ValueError("one of values, scale and boolean is needed")
        if self.values is not None and len(self.values) < 2:
            raise ValueError("values: at least two categories are needed")
        self._check_passing()
        return self

    def _check_passing(self) -> None:
        if self.passing is not None:
            unknown = [one for one in self.passing if one not in (self.values or ())]
            if unknown:
                raise ValueError(f"pass: {unknown[0]} is none of values")
        if self.threshold is not None:
            if self.scale is None:
                raise ValueError("threshold belongs to scale")
            if not self.scale.min <= self.threshold <= self.scale.max:
                raise ValueError(f"threshold {self.threshold:g} is outside of scale")
