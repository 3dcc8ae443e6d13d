"""Evaluates the files in ``deploy/grafana`` as Grafana and its plugin do before drawing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tests.support.agents import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FOLDER = REPOSITORY / "deploy" / "grafana"
ALL = "$__all"
"""The value of a variable when all its values are selected."""


class View(NamedTuple):
    """A view of a dashboard: times in seconds, and the selected value of each variable."""

    start: int
    end: int
    chosen: Mapping[str, Sequence[str]]
    interval: int = 20


def dashboards() -> list[dict[str, Any]]:
    """Return every dashboard, decoded."""
    return [json.loads(file.read_text()) for file in sorted(FOLDER.glob("dashboards/*.json"))]


def all_panels() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each panel with the uid of its dashboard."""
    for dashboard in dashboards():
        yield from ((dashboard["uid"], panel) for panel in dashboard["panels"])


def links_of(panel: Mapping[str, Any]) -> list[str]:
    """Return the URLs to which the panel's cells link."""
    properties = [p for over in panel["fieldConfig"]["overrides"] for p in over["properties"]]
    return [link["url"] for p in properties if p["id"] == "links" for link in p["value"]]


def expand(sql: str, view: View) -> str:
    """Expand each macro as the plugin's documentation says; refuse unknown ones."""
    times = rf"\1 >= toDateTime({view.start}) AND \1 <= toDateTime({view.end})"
    steps = rf"toStartOfInterval(toDateTime(\1), INTERVAL {view.interval} second)"
    sql = re.sub(r"\$__timeFilter\((\w+)\)", times, sql)
    sql = re.sub(r"\$__timeInterval\((\w+)\)", steps, sql)
    sql = re.sub(r"\$__conditionalAll\((.*), \$(\w+)\)", lambda m: _unless_all(m, view), sql)
    sql = re.sub(r"\$\{(\w+):singlequote\}", lambda m: _quoted(view.chosen[m[1]]), sql)
    assert "$" not in sql, f"nobody knows what this becomes: {sql}"
    return sql


def fill(url: str, row: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    """Return the URL of a cell's link."""
    url = re.sub(r"\$\{__data\.fields\.(\w+)\}", lambda m: str(row[m[1]]), url)
    encoded = r"\$\{__data\.fields\.(\w+):percentencode\}"
    url = re.sub(encoded, lambda m: quote(str(row[m[1]]), safe=""), url)
    return re.sub(r"\$\{(\w+)\}", lambda m: variables[m[1]], url)


def _unless_all(macro: re.Match[str], view: View) -> str:
    return "1=1" if ALL in view.chosen[macro[2]] else macro[1]


def _quoted(values: Sequence[str]) -> str:
    return ",".join("'" + value.replace("'", r"\'") + "'" for value in values)
