"""Sequence and collector numbers: two collectors of a store never issue the same sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.collector.spool.sequences import COLLECTORS, EVERY, Sequences, own_sequences
from spanloom.collector.spool.spool import Spool
from spanloom.core.errors import StartupError
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = st.integers(0, COLLECTORS - 1)
TIMES = st.lists(st.integers(0, 300), max_size=30)


def given_out(sequences: Sequences, times: list[int]) -> list[int]:
    seqs = [0]
    for now_us in times:
        seqs.append(sequences.after(seqs[-1], now_us))
    return seqs[1:]


@given(NUMBERS, NUMBERS, TIMES, TIMES)
def test_two_collectors_never_give_out_the_same(
    first: int, second: int, times: list[int], others: list[int]
) -> None:
    own = given_out(Sequences(first, COLLECTORS), times)
    other = given_out(Sequences(second, COLLECTORS), others)
    assert own == sorted(set(own))
    assert first == second or set(own).isdisjoint(other)


@given(NUMBERS, st.integers(0, 2**60))
def test_a_sequence_is_next_to_the_time(number: int, now_us: int) -> None:
    assert 0 <= Sequences(number, COLLECTORS).after(0, now_us + 1) - (now_us + 1) < COLLECTORS
    assert EVERY.after(0, now_us + 1) == now_us + 1


def test_a_spool_gives_out_its_own(tmp_path: Path) -> None:
    spool = Spool(
        tmp_path / "s", 1 << 20, Metrics(), clock_ns=lambda: 1_000_000, sequences=Sequences(5, 64)
    )
    assert [spool.put("", b"", 0) for _ in range(3)] == [1029, 1093, 1157]
    spool.close()


def test_a_data_directory_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "collector-number"
    first = own_sequences(path)
    assert (own_sequences(path), first.of) == (first, COLLECTORS)
    path.write_text("7\n")
    assert own_sequences(path).number == 7


@pytest.mark.parametrize("text", ["", "64", "-1", "seven"])
def test_what_is_no_number_is_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "collector-number"
    path.write_text(text)
    with pytest.raises(StartupError, match="must have a number below 64"):
        own_sequences(path)
