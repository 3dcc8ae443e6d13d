"""A run equals itself, and the diff of B with A mirrors that of A with B, for any two runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import Capture, all_captures

from spanloom.core.diff.diff import Diff, diff_documents
from spanloom.core.diff.shown import show_diff

Json = dict[str, Any]
CAPTURES = st.sampled_from(all_captures())
STEPS = st.lists(
    st.builds(
        lambda kind, name, said, gap, took: (kind, name, said, gap, took),
        st.sampled_from(["tool", "model", "graph"]),
        st.sampled_from("abc"),
        st.sampled_from(["", '{"x":1}', '{"x":2}', '[{"role":"user","content":"hi"}]']),
        st.sampled_from([0, 5, 100]),
        st.sampled_from([1, 80, 500]),
    ),
    max_size=12,
)


@cache
def documents(capture: Capture) -> list[Json]:
    return [dict(answer.document) for answer in extract_capture(capture)]


def made_up(steps: list[tuple[str, str, str, int, int]]) -> Json:
    """Return a document of steps: kind, name, text, ms since the previous start, and ms taken."""
    at, shown = 0, []
    for n, (kind, name, said, gap, took) in enumerate(steps):
        at += gap
        times = {"started_at": str(at), "duration": str(took)}
        texts = {"input": said, "output": said, "metadata": {}, "basic_info": times}
        shown.append({"id": str(n), "parent_id": "root", "type": kind, "name": name, **texts})
    times = {"started_at": "0", "duration": "1"}
    root = {
        "id": "root",
        "name": "",
        "input": "",
        "output": "",
        "metadata": {},
        "basic_info": times,
    }
    agents = [{"id": "root", "name": "", "steps": shown}] if shown else []
    return {"root_step": root, "agent_steps": agents, "extraction": {"root_type": "agent"}}


def assert_mirrored(one: Diff, other: Diff) -> None:
    swapped = {**one.counts, "added": one.counts["removed"], "removed": one.counts["added"]}
    assert other.counts == swapped
    pairs = {(row.a.id, row.b.id, row.op) for row in one.rows if row.a and row.b}
    assert pairs == {(row.b.id, row.a.id, row.op) for row in other.rows if row.a and row.b}


@given(CAPTURES, CAPTURES)
@settings(max_examples=examples(40), deadline=None)
def test_captured_runs(first: Capture, second: Capture) -> None:
    for a, b in zip(documents(first), documents(second), strict=False):
        assert diff_documents(a, a).is_same
        there = diff_documents(a, b)
        assert_mirrored(there, diff_documents(b, a))
        orjson.dumps(show_diff(a, b, there))


@given(STEPS, STEPS)
@settings(max_examples=examples(300), deadline=None)
def test_made_up_runs(first: list[Any], second: list[Any]) -> None:
    a, b = made_up(first), made_up(second)
    assert diff_documents(a, a).is_same
    assert_mirrored(diff_documents(a, b), diff_documents(b, a))
    rows = diff_documents(a, b).rows
    assert sorted(row.a.id for row in rows if row.a) == sorted(
        ["root", *map(str, range(len(first)))]
    )
