"""Single values, such as durations and costs, are formatted for a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.document import whole
from spanloom.core.showing.values import (
    age,
    counted,
    dollars,
    duration,
    instant,
    printable,
    shortened,
)
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from typing import TextIO


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (0, "<1 ms"),
        (999, "999 ms"),
        (1_000, "1.00 s"),
        (12_345, "12.3 s"),
        (65_000, "1m 05s"),
        (7_380_000, "2h 03m"),
    ],
)
def test_durations(ms: int, written: str) -> None:
    assert duration(ms) == written


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (-5, "0 s ago"),
        (99_999, "99 s ago"),
        (100_000, "1 min ago"),
        (6_000_000, "1 h ago"),
        (172_800_000, "2 d ago"),
    ],
)
def test_ages(ms: int, written: str) -> None:
    assert age(ms) == written


def test_counts_and_instants() -> None:
    assert counted(1, "agent") == "1 agent"
    assert counted(1200, "model call") == "1,200 model calls"
    assert instant(0) == "1970-01-01 00:00:00 UTC"
    assert instant(10**18) == ""


@pytest.mark.parametrize(
    ("value", "number"), [("12", 12), (3.9, 3), ("x", 0), (None, 0), ([], 0), (float("inf"), 0)]
)
def test_numbers_of_a_document(value: object, number: int) -> None:
    assert whole(value) == number


@given(st.text())
def test_any_text_becomes_harmless_and_stays_on_its_line(text: str) -> None:
    shown = printable(text)
    assert all(char.isprintable() or char == "\u200d" for char in shown)
    if text.isprintable():
        assert shown == text


def test_what_is_escaped_can_be_read() -> None:
    assert printable("a\x1b[1m\tb\u202ec\u2028d\U000e0041e") == "a\\x1b[1m b\\u202ec d\ufffde"
    assert printable("👩\u200d🔬") == "👩\u200d🔬"


@given(st.text(max_size=300), st.integers(1, 80))
def test_shortened_text_is_short(text: str, cells: int) -> None:
    assert len(shortened(text, cells)) <= cells


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3))
def test_json_on_a_terminal_is_harmless_and_the_same(document: dict[str, Any]) -> None:
    for indent in (True, False):
        terminal = Tty()
        write_json(orjson.dumps(document), cast("TextIO", terminal), indent=indent)
        shown = terminal.getvalue()
        assert all(char.isprintable() or char == "\n" for char in shown)
        assert orjson.loads(shown) == document
        assert indent or shown.count("\n") == 1


@pytest.mark.parametrize(
    ("usd", "shown"),
    [(0, "$0.00"), (1234.5, "$1,234.50"), (1, "$1.00"), (0.5, "$0.50"), (0.00034, "$0.00034")],
)
def test_dollars_show_two_digits_that_count(usd: float, shown: str) -> None:
    assert dollars(usd) == shown
