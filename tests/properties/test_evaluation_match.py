"""Trajectory match agrees with brute force, with swapped sides, and for spans in any order."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import all_captures
from tests.support.made_calls import messages_of
from tests.support.traces import KEY, traces

import spanloom
from spanloom.core.document import HeldDocument
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.conversation import conversation
from spanloom.core.model.trajectory import Status
from spanloom.evaluation.match.order import longest_common
from spanloom.evaluation.match.pairing import pair
from spanloom.evaluation.subject.calls import OF
from spanloom.evaluation.subject.canonical import canonical
from spanloom.evaluation.subject.run import root_agent

if TYPE_CHECKING:
    from random import Random

TURNED = {"exact": "exact", "ignore": "ignore", "subset": "superset", "superset": "subset"}
MODES = ("strict", "exact", "in_order", "unordered", "subset", "superset")
VALUES = st.sampled_from([1, 1.0, 2, True, "x", None, [1], {"k": 1.0}])
CALLS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.one_of(
            st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2),
            st.sampled_from(["{bad", "[1]", ""]),
        ),
    ),
    max_size=5,
)
MASKS = st.lists(st.integers(0, 2**6 - 1), max_size=6)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=3)
    ),
    max_leaves=6,
)


def match(run: object, reference: object, **config: object) -> dict[str, Any]:
    [result] = spanloom.evaluate(run, {"kind": "match", **config}, reference=reference)
    return result


@given(MASKS)
@settings(max_examples=examples(2_000, 60))
def test_the_pairing_is_as_large_as_any(masks: list[int]) -> None:
    partners = pair(masks)
    paired = [column for column in partners if column >= 0]
    assert len(set(paired)) == len(paired)
    assert all(mask >> at & 1 for mask, at in zip(masks, partners, strict=True) if at >= 0)
    assert len(paired) == _most_pairs(masks, (1 << 6) - 1)


def _most_pairs(masks: list[int], free: int) -> int:
    """Return the size of the largest pairing, found by brute force."""
    if not masks:
        return 0
    takes = (
        1 + _most_pairs(masks[1:], free & ~(1 << at))
        for at in range(6)
        if masks[0] & free & 1 << at
    )
    return max(_most_pairs(masks[1:], free), *takes, 0)


@given(MASKS)
@settings(max_examples=examples(2_000, 60))
def test_the_longest_common_subsequence_is_that_of_the_table(masks: list[int]) -> None:
    row = [0] * 7
    for mask in masks:
        before, row = row, [0]
        for at in range(6):
            both = before[at] + 1 if mask >> at & 1 else 0
            row.append(max(before[at + 1], row[at], both))
    assert longest_common(masks, 6) == row[6]


@given(CALLS, CALLS, st.sampled_from(list(TURNED)))
@settings(max_examples=examples(1_000, 50))
def test_modes_agree_with_trying_every_order(ours: Any, theirs: Any, args: str) -> None:
    run, reference = messages_of(*ours), messages_of(*theirs)
    said = {mode: match(run, reference, mode=mode, args=args)["value"] for mode in MODES}
    fits = [[_fits(mine, due, args) for due in theirs] for mine in ours]
    is_same_size = len(ours) == len(theirs)
    straight = is_same_size and all(fits[at][at] for at in range(len(ours)))
    assert said["strict"] is said["exact"] is straight
    assert said["subset"] is _finds_each(fits, len(theirs))
    turned = [[row[at] for row in fits] for at in range(len(theirs))]
    assert said["superset"] is _finds_each(turned, len(ours))
    assert said["unordered"] is (is_same_size and said["subset"])


def _finds_each(fits: list[list[bool]], columns: int) -> bool:
    return any(
        all(fits[row][column] for row, column in enumerate(chosen))
        for chosen in permutations(range(columns), len(fits))
    )


def _fits(mine: tuple[str, object], due: tuple[str, object], args: str) -> bool:
    ours, theirs = _plain(mine[1]), _plain(due[1])
    if mine[0] != due[0] or args == "ignore":
        return mine[0] == due[0]
    if args == "exact" or not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return bool(ours == theirs)
    part, whole = (ours, theirs) if args == "subset" else (theirs, ours)
    return bool(part.items() <= whole.items())


def _plain(given: object) -> Any:
    """Return arguments in a form in which Python's ``==`` is the equality of the match."""
    if given == "":
        return {}
    if isinstance(given, dict):
        return {key: json.dumps(_whole(value)) for key, value in given.items()}
    return given


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return value


@given(CALLS, CALLS, st.sampled_from(list(TURNED)))
@settings(max_examples=examples(1_000, 50))
def test_subset_is_superset_turned_around(ours: Any, theirs: Any, args: str) -> None:
    run, reference = messages_of(*ours), messages_of(*theirs)
    one = match(run, reference, mode="subset", args=args)
    other = match(reference, run, mode="superset", args=TURNED[args])
    assert one["value"] is other["value"]
    assert one["metrics"]["precision"] == other["metrics"]["recall"]
    assert one["metrics"]["f1"] == other["metrics"]["f1"]


@given(ANY_JSON, ANY_JSON)
@settings(max_examples=examples(2_000, 50))
def test_equal_values_have_one_text(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) is _equal(one, other)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)


@given(traces(), st.randoms(use_true_random=False), st.sampled_from(MODES))
@settings(max_examples=examples(200, 10))
def test_shuffled_spans_are_judged_alike(spans: Any, chance: Random, mode: str) -> None:
    shuffled = chance.sample(spans, len(spans))
    run, other = (
        orjson.loads(encode_document(extract(KEY, some), 1, Status.SETTLED))
        for some in (spans, shuffled)
    )
    for of in OF:
        reference = messages_of(("a", {})) if of in {"ran", "requested"} else run
        first = match(run, reference, mode=mode, of=of)
        assert first == match(other, reference, mode=mode, of=of)
        assert match(run, run, mode=mode, of=of)["value"] is not False
        assert first["status"] != "error"


@given(st.sampled_from(all_captures()))
@settings(max_examples=examples(500, 6))
def test_a_captured_run_matches_itself_and_its_conversation(capture: Any) -> None:
    for answer in extract_capture(capture):
        run = answer.document
        for of in OF:
            said = {match(run, run, mode=mode, of=of)["value"] for mode in MODES}
            assert said == {True} or (of == "graph" and said == {None})
        agent = root_agent(HeldDocument(run))
        if agent is not None:
            messages = [turn.message for turn in conversation(agent)]
            for library in (None, "agentevals", "openevals"):
                assert match(run, messages, compat=library)["value"] is True
