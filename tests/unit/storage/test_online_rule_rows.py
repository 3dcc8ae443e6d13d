"""Rows of online rules: the JSON of their definitions, and the rule that is read again."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import orjson

from spanloom.core.model.online_rule import BackfillRange, OnlineRule, RuleBudget, Unit, When
from spanloom.storage.online_rules.rows import rule_of, rule_row

if TYPE_CHECKING:
    from spanloom.storage.engine.parameters import Row

RULE = OnlineRule(
    "shop",
    "limits",
    version=3,
    where="has_error",
    evaluators='[{"kind": "match"}]',
    sample=0.25,
    unit=Unit.CONVERSATION,
    when=When.PARTIAL,
    delay_s=1.5,
    budget=RuleBudget(0.5, 6, 7, 8),
    backfill=BackfillRange(5, None),
    rescored=2,
    is_paused=True,
    is_deleted=True,
    since_us=1_795_000_000_123_456,
    at_us=4,
    put_by="ada",
)


def read(row: dict[str, Any]) -> OnlineRule:
    """Return the rule in a row as the store returns it."""
    return rule_of(cast("Row", SimpleNamespace(**row, Since=RULE.since_us)))


def test_a_rule_with_every_attribute_is_read_again() -> None:
    assert [one.name for one in fields(RULE) if getattr(RULE, one.name) == one.default] == []
    again = read(dict(rule_row(RULE)))
    assert again == RULE
    assert [type(getattr(again, one.name)) for one in fields(RULE)] == [
        type(getattr(RULE, one.name)) for one in fields(RULE)
    ]


def test_a_definition_is_stored_as_before() -> None:
    assert rule_row(RULE)["Definition"] == (
        '{"where":"has_error","evaluators":"[{\\"kind\\": \\"match\\"}]","sample":0.25,'
        '"unit":"conversation","when":"partial","delay_s":1.5,'
        '"budget":{"usd":0.5,"tokens":6,"calls":7,"runs":8},"backfill":[5,null],"rescored":2}'
    )
    assert rule_row(RULE)["SinceAt"] == "1795000000.123456"
    assert "SinceAt" not in rule_row(OnlineRule("shop", "new"))
    assert read(dict(rule_row(OnlineRule("shop", "new")))).backfill is None


def test_a_member_of_a_newer_release_is_ignored_and_a_missing_one_has_its_default() -> None:
    row = dict(rule_row(RULE))
    newer = {**orjson.loads(str(row["Definition"])), "mood": "good"}
    assert read({**row, "Definition": orjson.dumps(newer)}) == RULE
    del newer["unit"]
    assert read({**row, "Definition": orjson.dumps(newer)}).unit is Unit.TRACE
