"""Calls that list, store and delete online rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import Call, delete, get, segment, typed, typed_items
from spanloom.client.request import with_json as request_with
from spanloom.core.records.online_rule import OnlineRuleItem, OnlineRuleList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.client.moments import Moment

_PATH = "/v1/online-rules"


def online_rules(*, project: str | None = None) -> Call[Sequence[OnlineRuleItem]]:
    """Return the online rules of a project by name, with their progress."""
    return typed_items(get(_PATH, project=project), OnlineRuleList)


def online_rule(name: str, *, project: str | None = None) -> Call[OnlineRuleItem]:
    """Return an online rule with its progress; raises ``NotFoundError``."""
    return typed(get(_path(name), project=project), OnlineRuleItem)


def put_online_rule(
    name: str,
    rule: Mapping[str, Any],
    *,
    rescore: bool = False,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[OnlineRuleItem]:
    """Create an online rule, or change the given members; ``None`` resets a member to its default.

    ``rule`` has the members of the API's request: ``where``, ``evaluators``, ``sample``, ``unit``,
    ``when``, ``delay_s``, ``budget``, ``backfill``, ``paused``. With ``rescore`` the rule judges
    again the runs that it has already judged. Raises ``QueryError``, which shows the position of
    the fault, for an invalid rule. ::

        client.put_online_rule("limits", {"sample": 0.1, "evaluators": [{"kind": "match"}]})
    """
    body = {**rule, "rescore": True} if rescore else rule
    request = request_with("PUT", _path(name), body, project=project, annotator=annotator)
    return typed(replace(request, is_repeatable=not rescore), OnlineRuleItem)


def backfill_online_rule(
    name: str,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[OnlineRuleItem]:
    """Judge past runs with an online rule; ``since`` and ``until`` select by the root's start."""
    ends = {"from": milliseconds_or_none(since), "to": milliseconds_or_none(until)}
    period = {name: None if at is None else str(at) for name, at in ends.items()}
    return put_online_rule(name, {"backfill": period}, project=project, annotator=annotator)


def delete_online_rule(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[OnlineRuleItem]:
    """Delete an online rule; its scores stay."""
    return typed(delete(_path(name), annotator, project=project), OnlineRuleItem)


def _path(name: str) -> str:
    return f"{_PATH}/{segment(name)}"
