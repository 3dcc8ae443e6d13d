"""Findings become a table on a terminal and JSON for programs, where the worst status counts."""

from __future__ import annotations

import io
import json

from rich.console import Console

from spanloom.core.model.diagnosis import Finding, FindingStatus
from spanloom.terminal.reports import findings_json, render_findings

OK = Finding("spool", FindingStatus.OK, "0 bytes of 8.0 GiB")
BAD = Finding("schema", FindingStatus.PROBLEM, "it has \x1b[2J", "`spanloom migrate`")
SKIPPED = Finding("parts", FindingStatus.SKIPPED, "no process")


def test_a_table_with_colours_says_what_to_do_and_obeys_nothing() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system="standard", width=80)
    console.print(render_findings([OK, BAD, SKIPPED]))
    lines = screen.getvalue()
    assert "\x1b[2J" not in lines
    for words in ("\x1b[32mok", "\x1b[1;31mproblem", "→ `spanloom migrate`", "no process"):
        assert words in lines


def test_the_status_of_all_is_the_worst() -> None:
    told = json.loads(findings_json([OK, BAD, SKIPPED]))
    assert told["status"] == "problem"
    assert [finding["name"] for finding in told["findings"]] == ["spool", "schema", "parts"]
    assert json.loads(findings_json([SKIPPED, OK]))["status"] == "ok"
