"""Builds messages for channels: ``spanloom.alert/1``, and the formats of Slack and Alertmanager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from spanloom.core.model.notation import rfc3339

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.alerts.definition import AlertDefinition
    from spanloom.core.model.alert import AlertEvent

    RunDetails = Mapping[str, Any]  # of ``RunVersion.shown``, JSON values

FORMAT = "spanloom.alert/1"
_OF_RUN = ("name", "question")
_MOST_TEXT = 300
"""Characters of one text in a Slack message."""


def page_of(event: AlertEvent, base_url: str = "") -> str:
    """Return the URL of the page that shows the run, or for a metric the alert."""
    if event.trace_id:
        return f"{base_url}/trajectories/{event.trace_id}?{urlencode({'project': event.project})}"
    return f"{base_url}/alerts?{urlencode({'name': event.alert, 'project': event.project})}"


def number_of(event: AlertEvent, definition: AlertDefinition) -> dict[str, Any]:
    """Return value, threshold, window and group of a metric; empty for an event about a run."""
    if event.trace_id:
        return {}
    by = [name.strip() for name in (definition.by or "").split(",") if name.strip()]
    group = dict(zip(dict.fromkeys(by), event.group, strict=False))
    threshold = definition.below if definition.above is None else definition.above
    return {
        "value": event.value,
        "threshold": threshold,
        "window": definition.window,
        **({"group": group} if group else {}),
    }


def payload_of(
    event: AlertEvent, shown: RunDetails, definition: AlertDefinition, base_url: str
) -> dict[str, Any]:
    """Return the message in the format ``spanloom.alert/1``, without details of a deleted run."""
    run = {"trace_id": event.trace_id, "version": event.version} if event.trace_id else {}
    payload = {
        "format": FORMAT,
        "id": event.id,
        "alert": event.alert,
        "alert_version": event.alert_version,
        "state": str(event.state),
        "at": str(event.at_us // 1_000),
        "project": event.project,
        **run,
        **{name: shown.get(name) for name in _OF_RUN},
        "evidence": shown.get("evidence") or [],
        **number_of(event, definition),
        "severity": definition.severity or None,
        "url": page_of(event, base_url),
        "reason": dict(event.reason) or None,
    }
    return {name: value for name, value in payload.items() if value is not None}


def slack_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message for Slack's incoming webhooks."""
    about = " · ".join(filter(None, (_escaped(payload.get("name")), _number_words(payload))))
    lines = [
        f"*{_escaped(payload['alert'])}* {payload['state']}{f' · {about}' if about else ''}",
        _escaped(payload.get("question")),
        ", ".join(_escaped(step["name"]) for step in payload["evidence"][:10]),
        _reason_words(payload),
        f"<{payload['url']}|{payload['id'][:8]}>",
    ]
    return {"text": "\n".join(filter(None, lines))}


def alertmanager_of(payload: Mapping[str, Any], first_us: int) -> list[dict[str, Any]]:
    """Return the body for Alertmanager's ``/api/v2/alerts``; ``first_us`` is the firing time in µs.

    The labels are the same in every state, because Alertmanager identifies the alert by them.
    """
    group = {f"group_{name}": str(value) for name, value in payload.get("group", {}).items()}
    run = {"trace_id": payload["trace_id"]} if "trace_id" in payload else {}
    severity = {"severity": payload["severity"]} if "severity" in payload else {}
    names = ("alert", "project", "id")
    named = {"alertname" if name == "alert" else name: payload[name] for name in names}
    texts = {
        "summary": payload.get("name") or _number_words(payload),
        "description": payload.get("question"),
        "evidence": ", ".join(step["name"] for step in payload["evidence"]),
        "reason": _reason_words(payload),
    }
    made = {
        "labels": {**named, **severity, **run, **group},
        "annotations": {name: text for name, text in texts.items() if text},
        "startsAt": _moment(first_us),
        "generatorURL": payload["url"],
    }
    if payload["state"] != "firing":
        made["endsAt"] = _moment(int(payload["at"]) * 1_000)
    return [made]


def message_for(kind: str, payload: Mapping[str, Any], first_us: int) -> object:
    """Return the JSON body for a kind of channel."""
    forms: Mapping[str, Callable[[], object]] = {
        "slack": lambda: slack_of(payload),
        "alertmanager": lambda: alertmanager_of(payload, first_us),
    }
    return forms.get(kind, lambda: payload)()


def _number_words(payload: Mapping[str, Any]) -> str:
    if "threshold" not in payload:
        return ""
    value = payload.get("value")
    known = "unknown" if value is None else f"{value:g}"
    of = "".join(f"{_escaped(str(one))} " for one in payload.get("group", {}).values())
    return f"{of}{known} (threshold {payload['threshold']:g}, {payload['window']})"


def _reason_words(payload: Mapping[str, Any]) -> str:
    reason = payload.get("reason") or {}
    if "duplicate_of" in reason:
        return f"withdrawn: it repeats the run {reason['duplicate_of']}"
    if "deleted" in reason:
        return "withdrawn: the run was deleted"
    if "version" in reason:
        late = ", ".join(reason.get("late_spans") or ()) or "none"
        return f"withdrawn by version {reason['version']} of the run; late spans: {late}"
    return f"ended: {reason['ended']}" if "ended" in reason else ""


def _escaped(text: str | None) -> str:
    """Return a text escaped for Slack, so that it contains no link and no mention."""
    plain = (text or "")[:_MOST_TEXT]
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _moment(at_us: int) -> str:
    return rfc3339(at_us * 1_000) or "1970-01-01T00:00:00Z"
