"""Request and response models for online rules, and examples of responses."""

from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from spanloom.api.query import Instant
from spanloom.api.responses import answer
from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.model.online_rule import (
    BackfillRange,
    OnlineRule,
    RuleBudget,
    Unit,
    Walk,
    When,
)
from spanloom.core.records.online_rule import (
    ONLINE_RULE as RULE_RECORD,
)
from spanloom.core.records.online_rule import (
    OnlineRuleItem,
    RuleBudgetItem,
    RuleProgressItem,
)
from spanloom.online.service import ListedRule

_MOST_EVALUATORS = 100
_MOST_DELAY_S = 7 * 24 * 3600
_NS_PER_MS = 1_000_000
_COUNT = Field(ge=0, le=2**53)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BudgetRequest(_Strict):
    """Limits of a rule for a day (UTC)."""

    usd: Annotated[float | None, Field(ge=0, le=1e9, description="US dollars.", examples=[1.5])] = (
        None
    )
    tokens: Annotated[
        int | None, _COUNT, Field(description="Input and output tokens.", examples=[100_000])
    ] = None
    calls: Annotated[
        int | None, _COUNT, Field(description="Requests to a model.", examples=[100])
    ] = None
    runs: Annotated[int | None, _COUNT, Field(description="Judged runs.", examples=[1_000])] = None


class BackfillRequest(_Strict):
    """Past runs to judge, by the start of their root."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    from_: Annotated[
        Instant | None,
        Field(
            alias="from",
            description="From this moment on; null: from the first.",
            examples=["2026-01-31T12:00:00Z"],
        ),
    ] = None
    to: Annotated[
        Instant | None,
        Field(
            description="Before this moment; null: up to the newest.",
            examples=["2126-01-31T12:00:00Z"],
        ),
    ] = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.from_ is not None and self.to is not None and self.from_ >= self.to:
            raise ValueError("from has to be before to")
        return self


class OnlineRuleRequest(_Strict):
    """A definition of a rule; a member that is left out stays as it is, null is the default."""

    where: Annotated[
        str | None,
        Field(
            description="Which runs, as in lists; empty: all.",
            max_length=MAX_WHERE_BYTES,
            examples=["outcome = failed"],
        ),
    ] = None
    evaluators: Annotated[
        list[dict[str, JsonValue]] | None,
        Field(
            description="In the form of `spanloom.evaluate`; required for a new rule.",
            min_length=1,
            max_length=_MOST_EVALUATORS,
            examples=[[{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}]],
        ),
    ] = None
    sample: Annotated[
        float | None, Field(ge=0, le=1, description="The share of runs.", examples=[0.1])
    ] = None
    unit: Annotated[
        Unit | None, Field(description="What the sample is drawn from.", examples=["trace"])
    ] = None
    when: Annotated[
        When | None,
        Field(description="How complete a run must be to be judged.", examples=["settled"]),
    ] = None
    delay_s: Annotated[
        float | None,
        Field(
            ge=0,
            le=_MOST_DELAY_S,
            description="Seconds to wait after a run meets `when`.",
            examples=[0],
        ),
    ] = None
    budget: Annotated[
        BudgetRequest | None, Field(description="Null: no limit.", examples=[{"runs": 1000}])
    ] = None
    backfill: Annotated[
        BackfillRequest | None,
        Field(description="Null: none.", examples=[{"from": "2026-01-31T12:00:00Z"}]),
    ] = None
    paused: Annotated[
        bool | None, Field(description="Whether to pause the rule.", examples=[False])
    ] = None
    rescore: Annotated[
        bool,
        Field(
            description="Whether a new version also judges runs that the rule judged before.",
            examples=[False],
        ),
    ] = False

    def changes(self) -> dict[str, Any]:
        """Return the requested changes as attributes of ``OnlineRule``."""
        values = {name: getattr(self, name) for name in self.model_fields_set}
        changes: dict[str, Any] = {"rescored": values.pop("rescore", False)}
        for name, value in values.items():
            attribute, convert = _CONVERTED.get(name, (name, lambda value: value))
            changes[attribute] = _DEFAULTS[attribute] if value is None else convert(value)
        return changes


_DEFAULTS = {
    "where": "",
    "evaluators": "[]",
    "sample": 1.0,
    "unit": Unit.TRACE,
    "when": When.SETTLED,
    "delay_s": 0.0,
    "budget": RuleBudget(),
    "backfill": None,
    "is_paused": False,
}
_CONVERTED: dict[str, tuple[str, Any]] = {
    "evaluators": ("evaluators", lambda value: orjson.dumps(value).decode()),
    "budget": ("budget", lambda value: RuleBudget(**value.model_dump())),
    "backfill": ("backfill", lambda value: BackfillRange(value.from_, value.to)),
    "paused": ("is_paused", bool),
}


def item_of(listed: ListedRule) -> OnlineRuleItem:
    """Return a rule with its progress as a response model."""
    rule, progress = listed.rule, listed.progress
    budget = None if rule.budget == RuleBudget() else RuleBudgetItem(**rule.budget._asdict())
    counts = {name: getattr(progress, name) for name in _COUNTS}
    return OnlineRuleItem.made_of(
        rule,
        evaluators=orjson.loads(rule.evaluators),
        budget=budget,
        backfill=_backfill_of(rule, listed),
        progress=RuleProgressItem(**counts, lag_s=round(listed.lag_s, 3)),
    )


_COUNTS = ("pending", "done", "error", "deferred", "stale")


def _backfill_of(rule: OnlineRule, listed: ListedRule) -> dict[str, Any] | None:
    if rule.backfill is None:
        return None
    place = next((one for one in listed.walks if one.walk is Walk.BACKFILL), None)
    return {
        "from": _moment(rule.backfill.from_ns),
        "to": _moment(rule.backfill.to_ns),
        "taken": place.taken if place else 0,
        "done": bool(place and place.is_done),
    }


def _moment(at_ns: int | None) -> str | None:
    return None if at_ns is None else str(at_ns // _NS_PER_MS)


RULE = answer("The rule.", "OnlineRuleItem", RULE_RECORD.example)
RULES = answer("The rules.", "OnlineRuleList", {"items": [RULE_RECORD.example]})
