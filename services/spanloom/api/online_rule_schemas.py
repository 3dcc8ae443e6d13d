"""Request and response models for online rules, and examples of responses."""

from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from spanloom.api.query import Instant
from spanloom.api.responses import answer
from spanloom.core.model.online_rule import (
    BackfillRange,
    OnlineRule,
    RuleBudget,
    Walk,
)
from spanloom.core.records.online_rule import (
    ONLINE_RULE as RULE_RECORD,
)
from spanloom.core.records.online_rule import (
    RULE_MEMBERS,
    OnlineRuleItem,
    RuleBudgetItem,
    RuleProgressItem,
)
from spanloom.core.records.record import attribute_of
from spanloom.core.records.requested import with_requested
from spanloom.online.service import ListedRule

_NS_PER_MS = 1_000_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@with_requested(RuleBudgetItem)
class BudgetRequest(_Strict):
    """Limits of a rule for a day (UTC)."""


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


@with_requested(OnlineRuleItem, budget=BudgetRequest, backfill=BackfillRequest)
class OnlineRuleRequest(_Strict):
    """A definition of a rule; a member that is left out stays as it is, null is the default."""

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
        return changes | {_ATTRIBUTES[name]: _value_of(name, one) for name, one in values.items()}


_ATTRIBUTES = {name: attribute_of(OnlineRuleItem, name) for name in RULE_MEMBERS}
_DEFAULTS = {one.name: one.default for one in fields(OnlineRule)}
_CONVERTED: dict[str, Callable[[Any], object]] = {
    "evaluators": lambda value: orjson.dumps(value).decode(),
    "budget": lambda value: RuleBudget(**value.model_dump()),
    "backfill": lambda value: BackfillRange(value.from_, value.to),
}
"""Makes the value of the attribute, for members whose own values differ from it."""


def _value_of(name: str, requested: Any) -> object:  # as the member's type is
    """Return the value of the attribute that a member sets."""
    if requested is None:
        return _DEFAULTS[_ATTRIBUTES[name]]
    convert = _CONVERTED.get(name)
    return convert(requested) if convert else requested


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
