"""Findings of an examination: a table for people, one JSON object for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import orjson
from rich.table import Table
from rich.text import Text

from spanloom.core.model.finding import FindingStatus
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from spanloom.core.model.finding import Finding

_STYLES = {
    FindingStatus.OK: "green",
    FindingStatus.WARNING: "yellow",
    FindingStatus.PROBLEM: "bold red",
    FindingStatus.SKIPPED: "dim",
}


def render_findings(findings: Sequence[Finding]) -> RenderableType:
    """Return a table: the check, how it ended, what was found and under it what to do."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("check", "status", "found, and what to do"):
        table.add_column(title, no_wrap=title in {"check", "status"})
    for finding in findings:
        style = _STYLES[finding.status]
        found = Text(printable(finding.found), "dim" if style == "dim" else "")
        if finding.todo:
            found.append(f"\n→ {printable(finding.todo)}", "cyan")
        table.add_row(finding.name, Text(finding.status, style), found)
    return table


def findings_json(findings: Sequence[Finding]) -> bytes:
    """Return ``{"status": "ok", "findings": [...]}``; the status is the worst of them."""
    statuses = list(FindingStatus)  # the worst last
    worst = max((f.status for f in findings), key=statuses.index, default=FindingStatus.OK)
    return orjson.dumps({"status": worst, "findings": list(map(asdict, findings))})
