"""Projects are shown on a terminal with sizes, limits and retention terms in words."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from spanloom.terminal.projects import render_projects

ITEM: dict[str, Any] = {
    "project": "shop\x1b[31m",
    "runs": 1200,
    "newest_start": "1000",
    "stored_bytes": 48_200_000,
    "limits": {"spans_per_s": 5000.0, "bytes_per_s": 0.0, "stored_bytes": 2_000_000_000},
    "retention": {"spans_days": 7, "trajectories_days": 0},
}


def shown(*items: dict[str, Any]) -> str:
    console = Console(width=120)
    with console.capture() as printed:
        render_projects(items, console, 61_000)
    return printed.get()


def test_a_project_has_its_size_limits_and_terms_in_words() -> None:
    text = shown(ITEM)
    for part in ("1,200", "48.2 MB", "5,000 spans/s, 2.0 GB stored", "spans 7 days, runs without"):
        assert part in text
    assert "\x1b[31m" not in text


def test_what_is_not_known_is_a_dash_and_no_limit_is_none() -> None:
    absent = dict.fromkeys(("newest_start", "stored_bytes", "limits", "retention"))
    assert shown({**ITEM, **absent, "runs": 0}).splitlines()[1].split()[-4:] == ["-"] * 4
    free = {"spans_per_s": 0.0, "bytes_per_s": 0.0, "stored_bytes": 0}
    text = shown({**ITEM, "limits": free, "retention": {"spans_days": 1, "trajectories_days": 1}})
    assert text.split()[-3:] == ["none", "1", "day"]


def test_without_any_it_says_when_one_begins() -> None:
    assert "first span" in shown()
