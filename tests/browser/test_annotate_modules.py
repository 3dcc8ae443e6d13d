"""Computations of the annotation panel agree with the rules of the service."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.annotated_runs import SEED
from tests.support.examples import examples
from tests.support.outlines import Row

from spanloom.api.annotations.schemes import preset
from spanloom.core.annotation.marks import apply_edit, conflicts, score_of
from spanloom.core.annotation.places import find_place, parts_of
from spanloom.core.annotation.presets import presets
from spanloom.core.annotation.scheme_reader import read_scheme
from spanloom.core.model.annotation import MARK_FIELDS, NOTHING, Mark

if TYPE_CHECKING:
    from tests.support.page_modules import Modules

    from spanloom.core.annotation.scheme import Scheme

EXAMPLES = settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ODD = """\
annotation_type: trajectory_eval
name: odd
description: Two words, none of them right, and weights with a fraction.
correctness_options: [good, bad]
correct_option: good
error_types: [a, {name: b, subtypes: [c, "d::e"]}]
severities: [{name: small, weight: -0.5}, {name: none}]
max_score: 3
"""
REWARD = "annotation_type: process_reward\nname: reward\ndescription: d\nallow_neutral: true\n"
SCHEMES = [*presets().values(), *(read_scheme(text).scheme for text in (SEED, ODD, REWARD))]
STEPS = ("a", "b", "c", "d")
STEP = {"step": "a", "kind": "edit", "context": {"scheme": "potato", "version": 1}}

MARKED = """
const { applyEdit, NOTHING } = await import(url.replace('writes.js', 'marks.js'));
const marks = new Map();
const marked = (step, edit) => {
  const from = marks.get(step) ?? NOTHING;
  marks.set(step, applyEdit(from, edit, a[0]));
  return { from, to: marks.get(step) };
};
"""
"""Defines ``marked``: a step's annotation before and after an edit, as the page shows it."""


def shown(scheme: Scheme) -> dict[str, Any]:
    return preset(scheme).model_dump()


def plain(mark: Mark) -> dict[str, Any]:
    return {**mark._asdict(), "value": dict(mark.value)}


@st.composite
def edits(draw: st.DrawFn, scheme: Scheme) -> dict[str, Any]:
    """Draw an edit: values of some fields; subtypes and severities may be in no scheme."""
    types = [found.name for found in scheme.error_types]
    subtypes = [name for found in scheme.error_types for name in found.subtypes]
    choices = {
        "correctness": ["", *scheme.options],
        "error_type": ["", *types],
        "error_subtype": ["", "odd", *subtypes],
        "severity": ["", "odd", *(found.name for found in scheme.severities)],
        "rationale": ["", "why", "中文"],
    }
    fields = {name: st.sampled_from(options) for name, options in choices.items()}
    values = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2) | st.none(), max_size=2)
    found: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=fields | {"value": values}))
    return found


@st.composite
def made_marks(draw: st.DrawFn, scheme: Scheme) -> Mark:
    """Draw an annotation that results from at most three edits."""
    mark = NOTHING
    for edit in draw(st.lists(edits(scheme), max_size=3)):
        mark = apply_edit(mark, edit, scheme)
    return mark


@EXAMPLES
@given(data=st.data())
def test_scores_and_edits_are_those_of_the_service(modules: Modules, data: st.DataObject) -> None:
    scheme = data.draw(st.sampled_from(SCHEMES))
    marks = data.draw(st.dictionaries(st.sampled_from(STEPS), made_marks(scheme)))
    edit = data.draw(edits(scheme))
    score = score_of(scheme, marks, {"a", "b", "c"})
    rows = [[step, plain(mark)] for step, mark in marks.items()]
    told = modules.call(
        "annotate/marks.js",
        "const { applyEdit } = await import(url.replace('score.js', 'marks.js'));"
        "const tally = new m.Tally(a[0], 3);"
        "for (const [step, mark] of a[1]) tally.add(mark, 'abc'.includes(step));"
        "const s = tally.score();"
        "return [s.value, s.isComplete, s.unjudged, s.unweighed,"
        " a[1].map(([, mark]) => applyEdit(mark, a[2], a[0]))]",
        shown(scheme),
        rows,
        edit,
    )
    assert told[0] == pytest.approx(score.value)
    assert told[1:4] == [score.is_complete, score.unjudged, score.unweighed]
    assert told[4] == [plain(apply_edit(mark, edit, scheme)) for mark in marks.values()]


def test_a_mark_beyond_the_steps_to_judge_completes_nothing(modules: Modules) -> None:
    scheme = SCHEMES[0]
    mark = apply_edit(NOTHING, {"correctness": scheme.options[0]}, scheme)
    score = score_of(scheme, {"a": mark, "d": mark}, {"a", "b"})
    told = modules.call(
        "annotate/marks.js",
        "const tally = new m.Tally(a[0], 2); tally.add(a[1], true); tally.add(a[1], false);"
        "const s = tally.score(); return [s.unjudged, s.isComplete]",
        shown(scheme),
        plain(mark),
    )
    assert told == [score.unjudged, score.is_complete] == [1, False]


@EXAMPLES
@given(data=st.data())
def test_what_the_service_would_join_is_not_asked_about(
    modules: Modules, data: st.DataObject
) -> None:
    """The page reports fewer conflicts than the service, because it compares members of a value."""
    scheme = data.draw(st.sampled_from(SCHEMES))
    base, now = data.draw(made_marks(scheme)), data.draw(made_marks(scheme))
    edit = data.draw(edits(scheme))
    told = modules.call(
        "annotate/writes.js",
        "const f = (mark) => ({...mark}); return m.clashes(f(a[0]), f(a[1]), a[2], a[3])"
        ".map((one) => one.field)",
        plain(base),
        plain(now),
        edit,
        shown(scheme),
    )
    found = conflicts(base, now, edit, scheme)
    assert [name for name in told if name in MARK_FIELDS] == [n for n in found if n != "value"]
    assert "value" in found or not any(name.startswith("value.") for name in told)


@EXAMPLES
@given(data=st.data())
def test_a_difference_leads_from_one_mark_to_the_other(
    modules: Modules, data: st.DataObject
) -> None:
    scheme = data.draw(st.sampled_from(SCHEMES))
    one, other = data.draw(made_marks(scheme)), data.draw(made_marks(scheme))
    edit = modules.call(
        "annotate/marks.js", "return m.difference(a[0], a[1])", plain(one), plain(other)
    )
    made = apply_edit(one, edit, scheme)
    assert made[:5] == other[:5]
    names = set(one.value) | set(other.value)
    assert {n: made.value.get(n) for n in names} == {n: other.value.get(n) for n in names}


def test_writes_keep_their_order_and_nothing_of_them_is_lost(modules: Modules) -> None:
    told = modules.call(
        "annotate/writes.js",
        "const w = new m.Writes(); const ids = (list) => list.map((one) => one.id);"
        + MARKED
        + "const add = (id, step, edit) => w.add({...a[1], id, step, edit, ...marked(step, edit)});"
        "add('w1', 'a', {correctness: 'incorrect'}); add('w2', 'a', {severity: 'major'});"
        "add('w3', 'b', {correctness: 'correct'}); const first = w.next(); w.sent(first);"
        "add('w4', 'a', {rationale: 'late'}); const second = w.next();"  # sent, so not joined
        "w.failed(first); const again = w.next();"
        "const row = {step_id: 'a', revision: 1, correctness: 'incorrect', error_type: '',"
        " error_subtype: '', severity: 'major', rationale: '', value: {}};"
        "w.stored(first, [{...row, write_id: 'w1'}], a[0]); const late = w.list[0];"
        "const seen = [late.id, late.base, late.state];"
        "w.sent([late]); w.clashed([late], [{...row, revision: 3, rationale: 'other'}], a[0]);"
        "const held = [late.state, late.clashes, ids(w.next())]; w.settle(late, true);"
        "return [ids(first), first[0].edit, ids(second), ids(again), seen, held,"
        " [late.base, late.edit, ids(w.next())]]",
        shown(read_scheme(SEED).scheme),
        STEP,
    )
    assert told == [
        ["w1", "w3"],
        {"correctness": "incorrect", "severity": "major"},
        ["w4"],
        ["w1", "w3"],
        ["w4", 1, "waiting"],
        ["held", [{"field": "rationale", "mine": "late", "theirs": "other"}], []],
        [3, {"rationale": "late"}, ["w4"]],
    ]


def test_what_others_changed_elsewhere_is_joined(modules: Modules) -> None:
    told = modules.call(
        "annotate/writes.js",
        MARKED + "const w = new m.Writes();"
        " const row = {step_id: 'a', revision: 4, error_subtype: '',"
        " correctness: 'incorrect', error_type: 'execution', severity: '', rationale: '', value:"
        " {spans: 1}};"
        "marked('a', {correctness: 'incorrect'});"
        "const said = {severity: 'minor', value: {note: 2}};"
        "const one = w.add({...a[1], id: 'w1', edit: said, ...marked('a', said)});"
        "one.seen = {...row, error_type: '', value: {}};"
        "w.sent(w.next()); w.clashed([one], [row], a[0]);"
        "w.refused([one], new Map([[0, 'no']])); const kept = [one.base, one.state, w.waiting];"
        "const later = {severity: 'major'};"
        "w.add({...a[1], id: 'w2', edit: later, ...marked('a', later)});"
        "return [...kept, one.state, one.edit.severity, w.waiting]",
        shown(read_scheme(SEED).scheme),
        STEP,
    )
    assert told == [4, "refused", 1, "waiting", "major", 1]


def test_letters_are_apart_and_those_of_the_form_are_left_alone(modules: Modules) -> None:
    names = ["minor", "major", "critical", "reasoning", "execution", "safety", "", "7"]
    told = modules.call(
        "annotate/scheme.js",
        "return [m.lettersOf(a[0]), m.lettersOf(a[1], ['w'])]",
        names,
        ["wrong_tool", *"x" * 30],
    )
    assert told[0][:6] == ["m", "a", "c", "o", "e", "s"]
    for letters in told:
        given_ones = [letter for letter in letters if letter]
        assert len(set(given_ones)) == len(given_ones)
        assert not set(given_ones) & set("jknru")
    assert told[1][0] == "o"
    assert told[1][-1] == ""


@EXAMPLES
@given(
    st.lists(
        st.tuples(
            st.text("ab 中😀\n", max_size=12),
            st.integers(0, 14),
            st.text("ab 中😀\n", min_size=1, max_size=3),
        ),
        min_size=20,
        max_size=60,
    )
)
def test_a_place_is_found_again_by_its_words(
    modules: Modules, cases: list[tuple[str, int, str]]
) -> None:
    asked: list[dict[str, Any]] = [
        {
            "in": text,
            "start": start,
            "end": start + len(words.encode("utf-16-le")) // 2,
            "text": words,
        }
        for text, start, words in cases
    ]
    told = modules.call(
        "annotate/pieces.js",
        "return a[0].map((one) => m.relocate(one, one.in)).map((f) => f && [f.start, f.end])",
        asked,
    )
    places = [find_place(one["in"], one["start"], one["end"], one["text"]) for one in asked]
    assert told == [place and [*place] for place in places]


def test_a_place_with_wrong_bounds_stands_where_its_words_are(modules: Modules) -> None:
    wrong = [{"start": 1, "end": 99, "text": "bc"}, {"start": -3, "end": -1, "text": "ab"}]
    told = modules.call("annotate/pieces.js", "return a[0].map((p) => m.relocate(p, 'abc'))", wrong)
    assert told == [{"start": 1, "end": 3}, {"start": 0, "end": 2}]


def test_of_several_places_with_its_words_none_is_taken(modules: Modules) -> None:
    moved = {"start": 1, "end": 3, "text": "ab"}
    told = modules.call(
        "annotate/pieces.js",
        "return a[1].map((t) => m.relocate(a[0], t))",
        moved,
        ["abab", "cdab"],
    )
    assert told == [None, {"start": 2, "end": 4}]


CALL = {"id": "c1", "function": {"name": "find", "arguments": '{"q": 1}'}}
TEXTS = [
    *("", "plain", "[]", "{}", "[1]", "{not json", '{"role": "user"}', '\n [{"role":"user"}]'),
    [{"role": "user", "content": "a \U0001f600"}, {"role": "a", "tool_calls": [CALL, CALL]}],
    *([{"role": "user", "content": ""}], [{"role": "user", "content": [{"type": "text"}]}]),
    *([{"role": "user", "content": None, "tool_calls": None}], [{"role": 1, "content": "x"}]),
    *([{"role": "a", "content": "x", "name": 0}], [{"role": "a", "content": "x", "status": False}]),
    *([{"role": "a", "content": "x", "tool_calls": {}}], [{"role": "a", "tool_calls": [7, None]}]),
    [{"role": "a", "content": "x", "tool_calls": [{"id": 1}, {"function": "f"}]}],
    [{"role": "a", "content": "x", "tool_calls": [{"function": "f"}, {"function": {"name": 2}}]}],
    [{"role": "a", "content": "x", "tool_calls": [{"function": {"arguments": ""}}, CALL]}],
    [{"role": "a", "content": "x", "refusal": None, "reasoning_content": "y"}],
]


def test_parts_of_what_a_step_says_are_those_of_the_service(modules: Modules) -> None:
    texts = [text if isinstance(text, str) else json.dumps(text) for text in TEXTS]
    told = modules.call(
        "annotate/pieces.js",
        "return a[0].map((x) => m.partsOf(x).map((one) => [one.part, one.text]))",
        texts,
    )
    assert told == [[[*one] for one in parts_of(text).items()] for text in texts]


def test_schemes_to_begin_with_are_understood(modules: Modules) -> None:
    for kind, text in modules.call("schemes/editor.js", "return Object.entries(m.EXAMPLES)"):
        scheme, remarks = read_scheme(text)
        assert (scheme.kind, list(remarks)) == (kind, [])


def test_a_text_is_cut_where_places_overlap_and_around_what_is_hidden(modules: Modules) -> None:
    told = modules.call(
        "annotate/pieces.js",
        "return m.cut(a[0], a[1]).map((one) => [a[0].slice(one.start, one.end), one.mine,"
        " one.theirs])",
        "ab\u200bcd😀",
        [
            {"start": 0, "end": 4, "isMine": True},
            {"start": 1, "end": 2, "isMine": False},
            {"start": 5, "end": 7, "isMine": True},
        ],
    )
    assert told == [
        ["a", 1, 0],
        ["b", 1, 1],
        ["\u200b", 1, 0],
        ["c", 1, 0],
        ["d", 0, 0],
        ["😀", 1, 0],
    ]


def test_what_a_step_says_has_parts(modules: Modules) -> None:
    messages = (
        '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "",'
        ' "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]'
    )
    told = modules.call(
        "annotate/pieces.js", "return a[0].map(m.partsOf)", [messages, "x", '{"a":1}']
    )
    assert told[0] == [
        {"part": "0.content", "role": "user", "text": "hi"},
        {"part": "1.tool_calls.0.function.arguments", "role": "f", "text": "{}"},
    ]
    assert told[1:] == [[{"part": "", "role": "", "text": text}] for text in ("x", '{"a":1}')]


def test_every_row_is_found_by_its_id_and_what_is_next_goes_round(modules: Modules) -> None:
    rows = [
        Row(0, "agent", "planner"),
        *(Row(1, "tool", "t") for _ in range(50)),
        Row(1, "other", "x", flags=4),
    ]
    told = modules.view(
        rows,
        "const { Steps } = await import(url.replace('tree/view.js', 'annotate/steps.js'));"
        "const s = new Steps(v); const all = [...v.o.depth.keys()];"
        "return [all.every((i) => s.row(s.id(i)) === i), s.row('f'.repeat(16)), s.row('odd'),"
        " s.size, s.next(0, () => true), s.next(50, (i) => i < 3), s.next(3, () => false)]",
    )
    assert told == [True, -1, -1, 50, 1, 1, -1]


def test_who_takes_marks_away_leaves_those_that_came_since(modules: Modules) -> None:
    """Annotations shown without the panel may be removed after the panel has shown its own."""
    told = modules.call(
        "annotate/tree_marks.js",
        "const grid = { host: document.createElement('div'), marks: null, updateTexts() {} };"
        "const [atRest, ofPanel] = [{ fill() {} }, { fill() {} }];"
        "const first = m.showMarks(grid, atRest, 1); const second = m.showMarks(grid, ofPanel, 2);"
        "first(); const kept = [grid.marks === ofPanel, grid.host.className];"
        "second(); return [...kept, grid.marks, grid.host.className]",
    )
    assert told == [True, "marked", None, ""]
