"""All processes compute the same even shares of slices; few move when one comes or goes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.model.span import TraceKey
from spanloom.core.sharing import HANDOVER_S, SLICES, Claims, share, slice_of

MEMBERS = st.lists(st.integers(0, 2**64).map("{:x}".format), min_size=1, max_size=12, unique=True)
STALE_S = 9.0


@given(MEMBERS)
def test_a_share_is_even_complete_and_the_same_for_all(members: list[str]) -> None:
    owners = share(members)
    sizes = Counter(owners.values())
    assert sorted(owners) == list(range(SLICES))
    assert set(sizes) == set(members)
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert share(members[::-1]) == owners


@given(MEMBERS.filter(lambda members: len(members) > 1))
def test_few_slices_change_hands_when_a_process_goes_or_comes(members: list[str]) -> None:
    fewer, more = share(members[1:]), share(members)
    moved = sum(fewer[n] != more[n] for n in range(SLICES))
    needed = Counter(more.values())[members[0]]
    assert needed <= moved <= needed + SLICES // 8


def test_nobody_owns_anything_without_members() -> None:
    assert share([]) == {}


@given(st.integers(0, 2**128))
def test_ids_that_count_up_are_spread_over_the_slices(first: int) -> None:
    ids = (f"{(first + n) % 2**128:032x}" for n in range(SLICES * 16))
    found = Counter(slice_of(TraceKey("p", trace_id)) for trace_id in ids)
    assert len(found) == SLICES
    assert max(found.values()) <= 32


@given(st.lists(st.tuples(st.floats(0, 20), st.sets(st.sampled_from("abc"))), max_size=20))
def test_processes_that_read_the_same_lists_never_hold_one_slice_twice(
    steps: list[tuple[float, set[str]]],
) -> None:
    """Members may come and go at any time; dead ones are those that read no list."""
    now_s, claims = 0.0, {me: Claims(me, STALE_S) for me in "abc"}
    for passed_s, living in steps:
        now_s += passed_s
        for me in living:
            claims[me].update(living, now_s)
        held = [claims[me].held(now_s) for me in sorted(living)]
        assert sum(map(len, held)) == len(frozenset().union(*held)) <= SLICES
        later = [claims[me].held(now_s + HANDOVER_S) for me in sorted(living)]
        assert sum(map(len, later)) == (SLICES if living else 0)


def test_a_newcomer_takes_its_half_when_the_other_has_noticed() -> None:
    one, other = Claims("one", STALE_S), Claims("other", STALE_S)
    one.update([], 100)
    assert len(one.held(100)) == SLICES
    other.update(["one"], 101)
    assert not other.held(101)
    one.update(["one", "other"], 102)
    assert len(one.held(102)) == SLICES // 2
    assert len(other.held(101 + HANDOVER_S)) == SLICES // 2
    assert not one.held(104) & other.held(104)


def test_what_a_dead_process_had_is_taken_at_once() -> None:
    one = Claims("one", STALE_S)
    one.update(["other"], 0)
    one.update(["other"], 8)
    one.update([], 12)
    assert len(one.held(12)) == SLICES


def test_a_process_that_slept_takes_nothing_for_granted() -> None:
    one = Claims("one", STALE_S)
    one.update(["other"], 0)
    assert len(one.held(5)) == SLICES // 2
    assert not one.is_stale(STALE_S)
    assert one.is_stale(STALE_S + 0.1)
    one.update(["other"], 20)
    assert not one.held(20)
    assert len(one.held(20 + HANDOVER_S)) == SLICES // 2


def test_a_process_alone_keeps_its_slices_though_the_store_is_away() -> None:
    one = Claims("one", STALE_S)
    one.update([], 0)
    assert not one.is_stale(1_000)
    assert len(one.held(1_000)) == SLICES
