"""Every member of an alert, and of an online rule, is in each place that has to have it."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from fastapi.testclient import TestClient
from tests.support import evaluation_answers as page
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.alerts.definition import AlertDefinition, Channel
from spanloom.api.app import create_app
from spanloom.api.online_rule_schemas import BackfillRequest, BudgetRequest, OnlineRuleRequest
from spanloom.api.online_rules import put_online_rule
from spanloom.cli.alerts import put_command as put_alert_command
from spanloom.cli.online_rules import put_command as put_rule_command
from spanloom.client.calls import online_rules as calls
from spanloom.core.model.access import Reach
from spanloom.core.model.online_rule import JUDGING, OnlineRule, RuleBudget, Spent
from spanloom.core.records.alert import AlertItem
from spanloom.core.records.alert_members import ALERT_MEMBERS, CONDITION_MEMBERS
from spanloom.core.records.declared import Requested
from spanloom.core.records.online_rule import (
    BACKFILL_PROGRESS,
    ONLINE_RULE,
    RULE_MEMBERS,
    OnlineRuleItem,
    RuleBudgetItem,
)
from spanloom.core.records.record import attribute_of, find_part
from spanloom.core.records.requested import requested_names
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

DOCS = Path(__file__).parents[3] / "docs/evaluation"
NAMED = re.compile(r"`(\w+)`")
HOOK = {"kind": "webhook", "url": "https://hooks.example.com/a?token=secret", "secret_file": "/s"}
NOTICES = {"channels": [HOOK], "severity": "critical", "repeat_after": "4h", "paused": False}
BOUNDS = {"window": "15m", "at_least": 20, **NOTICES}
METRIC = {"metric": "rate(error)", "of": "steps", "by": "agent", "where": "type = tool"}
ALERTS: dict[str, dict[str, Any]] = {
    "condition": {"where": "has_error", **NOTICES},
    "above": {**METRIC, "above": 0.2, **BOUNDS},
    "below": {**METRIC, "below": 0.2, **BOUNDS},
}
RULE: dict[str, Any] = {
    "where": "outcome = failed",
    "evaluators": [{"name": "limits", "kind": "rules", "rules": {"max_tool_calls": 4}}],
    "sample": 0.5,
    "unit": "conversation",
    "when": "partial",
    "delay_s": 2,
    "budget": {"tokens": 1, "calls": 2, "runs": 3},
    "backfill": {"from": "6000", "to": "7000"},
    "paused": True,
}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def client(store: MemoryStore) -> Iterator[TestClient]:
    app = create_app(store, Metrics(), Locks().access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        yield client


def put(client: TestClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.put(path, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return {**found, "put_at": ""}


def members_of(request: type[BaseModel]) -> set[str]:
    return {info.alias or name for name, info in request.model_fields.items()}


def first_table(name: str) -> list[str]:
    """Return the members in the first table of a page of the documentation."""
    _, _, rest = (DOCS / name).read_text("utf-8").partition("| member | what |\n| --- | --- |\n")
    rows = rest.partition("\n\n")[0].splitlines()
    return [member for row in rows for member in NAMED.findall(row.split("|")[1])]


def test_a_definition_and_an_answer_of_an_alert_have_every_member() -> None:
    assert members_of(AlertDefinition) - {"for"} == {*ALERT_MEMBERS}
    assert requested_names(AlertItem) == ALERT_MEMBERS
    assert page.ALERT.keys() == AlertItem.model_fields.keys()
    assert first_table("alerts.md") == [*ALERT_MEMBERS]
    options = {option.name for option in put_alert_command.params}
    assert {*ALERT_MEMBERS} - options == {"channels"}
    assert {*get_args(Channel.model_fields["kind"].annotation)} <= options


def test_a_request_and_an_answer_of_a_rule_have_every_member() -> None:
    assert members_of(OnlineRuleRequest) == {*RULE_MEMBERS, "rescore"}
    assert members_of(BudgetRequest) == {*RuleBudgetItem.model_fields}
    assert RuleBudget._fields == Spent._fields == tuple(RuleBudgetItem.model_fields)
    backfill = ONLINE_RULE.example["backfill"]
    assert members_of(BackfillRequest) | {*BACKFILL_PROGRESS} == backfill.keys()
    assert page.RULE.keys() == OnlineRuleItem.model_fields.keys()
    assert first_table("online-rules.md") == [*RULE_MEMBERS, "rescore"]
    assert {*RULE_MEMBERS} <= {*NAMED.findall(calls.put_online_rule.__doc__ or "")}
    assert {*RULE_MEMBERS} <= {*re.findall(r"\w+", put_rule_command.help or "")}


@pytest.mark.parametrize("name", ALERTS)
def test_an_answer_of_an_alert_sent_again_keeps_every_member(
    client: TestClient, store: MemoryStore, name: str
) -> None:
    """The page sends such a request to pause an alert."""
    before = put(client, f"/v1/alerts/{name}", ALERTS[name])
    (stored,) = store.alerts.list(Reach.ALL)
    members = {member: before[member] for member in ALERT_MEMBERS}
    paused = put(client, f"/v1/alerts/{name}", {**members, "paused": True})
    assert paused == {**before, "paused": True}
    (again,) = store.alerts.list(Reach.ALL)
    assert again.definition == {**stored.definition, "paused": True}


def test_the_alerts_above_set_every_member() -> None:
    assert {member for one in ALERTS.values() for member in one} == {*ALERT_MEMBERS}
    assert RULE.keys() == {*RULE_MEMBERS}


def test_a_condition_makes_a_version_and_notices_do_not(client: TestClient) -> None:
    changed = {
        "where": "type = tool",
        "metric": "count",
        "of": "runs",
        "by": "name",
        "window": "1h",
        "above": 0.3,
        "at_least": 5,
        "channels": [],
        "severity": "low",
        "repeat_after": "2h",
        "paused": True,
    }
    for member, value in changed.items():
        path = f"/v1/alerts/{member}"
        before = put(client, path, {**ALERTS["above"], "where": ""})
        after = put(client, path, {**ALERTS["above"], "where": "", member: value})
        is_new = after["version"] > before["version"]
        assert is_new is (member in CONDITION_MEMBERS), member
    assert {*ALERT_MEMBERS} - changed.keys() == {"below"}  # it replaces ``above``


def test_an_answer_of_a_rule_sent_again_changes_nothing(client: TestClient) -> None:
    made = put(client, "/v1/online-rules/r1", RULE)
    members = {member: made[member] for member in RULE_MEMBERS}
    past = members["backfill"].items()
    members["backfill"] = {name: value for name, value in past if name not in BACKFILL_PROGRESS}
    assert put(client, "/v1/online-rules/r1", members) == made


def test_null_is_the_default_of_a_rule() -> None:
    unset = OnlineRule("p", "r1")
    set_rule = replace(unset, **OnlineRuleRequest.model_validate(RULE).changes())
    attributes = {attribute_of(OnlineRuleItem, name) for name in RULE_MEMBERS}
    for one in fields(OnlineRule):
        is_set = getattr(set_rule, one.name) != getattr(unset, one.name)
        assert is_set is (one.name in attributes), one.name
    nulls = OnlineRuleRequest.model_validate(dict.fromkeys(RULE_MEMBERS))
    assert replace(set_rule, **nulls.changes()) == unset


def test_the_documentation_names_what_makes_a_version_of_a_rule() -> None:
    text = " ".join((DOCS / "online-rules.md").read_text("utf-8").split())
    counted = text.partition("`version` counts changes of ")[2].partition(".")[0]
    assert NAMED.findall(counted) == [*JUDGING]
    changes = (put_online_rule.__doc__ or "").partition("A change of ")[2].partition(" makes")[0]
    assert NAMED.findall(changes) == [*JUDGING]


def test_the_page_leaves_out_only_defaults_of_an_alert() -> None:
    """The text in its form has no member that is null, false or empty."""
    declared = [find_part(info, Requested) for info in AlertItem.model_fields.values()]
    assert [one.default for one in declared if one and one.default] == []
