"""``spanloom search`` marks the words it found, and shows texts without obeying them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

from spanloom.terminal.tables import MARKED, mark_places, render_hits

if TYPE_CHECKING:
    from collections.abc import Callable

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ITEM = {
    "trace_id": TRACE,
    "project": "default",
    "started_at": "3588000",
    "step_id": "a1c4e1b7d2f30004",
    "position": 5,
    "part": "output",
    "type": "tool",
    "name": "refund\x1b[2J",
    "snippet": "a [bold]rate\nlimit\x1b[31m 退款",
    "offsets": [[8, 18], [24, 26]],
}


def test_a_hit_at_100_columns(screen: Callable[..., Any]) -> None:
    terminal = screen()
    render_hits([ITEM], terminal.console, 3_600_000)
    assert terminal.text.splitlines() == [
        "■ refund\\x1b[2J  step 5, output, default, 12 s ago",
        f"  {TRACE} a1c4e1b7d2f30004",
        "  a [bold]rate limit\\x1b[31m 退款",
        "",
    ]


def test_the_places_are_marked_however_long_what_is_before_them_is_shown() -> None:
    shown = mark_places(str(ITEM["snippet"]), ITEM["offsets"])  # type: ignore[arg-type]  # a list
    marked = [shown.plain[span.start : span.end] for span in shown.spans if span.style == MARKED]
    assert marked == ["rate limit", "退款"]


def test_nothing_found_says_when_to_look_again() -> None:
    console = Console(width=100)
    with console.capture() as shown:
        render_hits([], console, 0)
    assert "Nothing found" in shown.get()
