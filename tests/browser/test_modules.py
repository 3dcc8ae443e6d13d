"""The page's modules that draw nothing, run in the browser and compared with plain Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.support.outlines import KINDS, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.page_modules import Modules


EXAMPLES = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
RUN = (
    Row(0, "agent", "planner", 0, 100, "planner"),
    Row(1, "other", "RunnableSequence", 1, 90),
    Row(2, "model", "chat", 2, 10, "planner", 7, 3),
    Row(2, "tool", "search", 15, 20, "planner", flags=1),
    Row(1, "agent", "coder", 40, 50, "coder"),
    Row(2, "model", "chat", 41, 40, "coder", 100, 20),
)
FRAMES = [row._replace(flags=4) if row.kind == "other" else row for row in RUN]


def test_an_outline_is_read_as_it_was_written(modules: Modules) -> None:
    told = modules.view(
        RUN,
        "const o = v.o; return {parent: [...o.parent], end: [...o.end], start: [...o.start],"
        " tokens: [...o.tokens], errors: [...o.errors], agents: o.agents, last: o.last}",
    )
    assert told == {
        "parent": [-1, 0, 1, 1, 0, 4],
        "end": [6, 4, 3, 4, 6, 6],
        "start": [0, 1, 2, 15, 40, 41],
        "tokens": [130, 10, 10, 0, 120, 120],
        "errors": [1, 1, 0, 1, 0, 0],
        "agents": ["", "planner", "coder"],
        "last": 100,
    }


@st.composite
def runs(draw: st.DrawFn) -> list[Row]:
    """Draw rows in the order of a tree walk, each at most one level below the previous row."""
    rows: list[Row] = []
    number = st.integers(0, 2**31)
    for _ in range(draw(st.integers(1, 30))):
        depth = draw(st.integers(0, rows[-1].depth + 1)) if rows else 0
        name = draw(st.text(max_size=6))
        start = draw(st.integers(0, 2**30))
        row = Row(depth, draw(st.sampled_from(KINDS)), name, start, draw(number))
        rows.append(row._replace(tin=draw(number), flags=draw(st.integers(0, 31))))
    return rows


@EXAMPLES
@given(rows=runs())
def test_any_outline_comes_out_as_it_went_in(modules: Modules, rows: list[Row]) -> None:
    told = modules.view(
        rows,
        "const { spanId, rowOf } = await import(url.replace('view.js', 'outline.js'));"
        "const o = v.o; return [...o.depth].map((d, i) => [d, o.kinds[o.kind[i]],"
        " o.names[o.name[i]], o.start[i], o.dur[i], o.agents[o.agent[i]], o.tin[i], o.tout[i],"
        " o.flags[i], rowOf(o, spanId(o, i))])",
    )
    assert [tuple(row) for row in told] == [(*row, at) for at, row in enumerate(rows)]


@EXAMPLES
@given(rows=runs(), closed=st.sets(st.integers(0, 29)), frames=st.booleans())
@example(rows=FRAMES, closed={3}, frames=False)
def test_what_is_on_show_is_what_nothing_closed_hides(
    modules: Modules, rows: list[Row], closed: set[int], frames: bool
) -> None:
    told = modules.view(
        rows,
        "v.showFrames(a[2]); for (const i of a[1]) if (i < v.o.n) v.collapsed[i] = 1; v.rebuild();"
        "return shown().map((i) => [i, v.level[i], v.place[i], v.siblings(i)])",
        sorted(closed),
        frames,
    )
    assert told == _shown(rows, closed, frames)


def _shown(rows: Sequence[Row], closed: set[int], frames: bool) -> list[list[int]]:
    """Return each visible row with its depth, its position among its siblings and their number."""
    plumbing = [row.flags & 16 > 0 or row.flags & 5 == 4 for row in rows]
    hidden = [not frames and is_one and not all(plumbing) for is_one in plumbing]
    above: list[list[int]] = []
    for at, row in enumerate(rows):
        parents = [p for p in range(at) if rows[p].depth < row.depth]
        chain = [p for p in parents if all(rows[k].depth > rows[p].depth for k in range(p + 1, at))]
        above.append([p for p in chain if not hidden[p]])
    there = [
        at for at in range(len(rows)) if not hidden[at] and not any(p in closed for p in above[at])
    ]
    parent = {at: above[at][-1] if above[at] else -1 for at in there}
    groups: dict[int, list[int]] = {}
    for at in there:
        groups.setdefault(parent[at], []).append(at)
    return [
        [at, len(above[at]), groups[parent[at]].index(at) + 1, len(groups[parent[at]])]
        for at in there
    ]


@pytest.mark.parametrize(
    ("wanted", "shown", "hits"),
    [
        ({"text": "search"}, [0, 3], 1),
        ({"text": "coder"}, [0, 4, 5], 2),
        ({"kinds": ["model"]}, [0, 2, 4, 5], 2),
        ({"kinds": ["model"], "isAlone": True}, [2, 5], 2),
        ({"text": "nothing"}, [], 0),
        ({"text": "nothing", "found": [5]}, [0, 4, 5], 1),
    ],
)
def test_hits_are_shown_with_what_is_above_them(
    modules: Modules, wanted: dict[str, object], shown: list[int], hits: int
) -> None:
    told = modules.view(
        FRAMES,
        "v.all(true); v.filter({text: '', found: null, isAlone: false, ...a[1],"
        " kinds: new Set(a[1].kinds ?? [])}); return [shown(), v.hitCount]",
        wanted,
    )
    assert told == [shown, hits]


def test_errors_are_found_in_closed_branches_and_drilling_down_hides_the_rest(
    modules: Modules,
) -> None:
    told = modules.view(
        FRAMES,
        "const { nextError } = await import(url.replace('view.js', 'keys.js'));"
        "v.all(true); const found = nextError(v, 0, 1); v.reveal(found); const open = shown();"
        "v.drill(4); return [found, open, shown(), nextError(v, 4, 1), v.level[5]]",
    )
    assert told == [3, [0, 2, 3, 4], [4, 5], -1, 1]


CONDITIONS = {
    "": [],
    "has_error": ["has_error"],
    'duration > 5s and agent = "a and b"': ["duration > 5s", 'agent = "a and b"'],
    "a and (b or c) AND d": ["a", "(b or c)", "d"],
    "a and b or c": ["a and b or c"],
    'has(tool = "x" then tool = "y") and not b': ['has(tool = "x" then tool = "y")', "not b"],
    "metadata.and = 1 and b": ["metadata.and = 1", "b"],
    'open "quote and b': ['open "quote and b'],
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_question_is_taken_apart_into_chips_and_joined_again(modules: Modules, text: str) -> None:
    parts, again = modules.call(
        "state/filters.js",
        "const parts = m.conditions(a[0]); return [parts, m.conditions(m.joined(parts))]",
        text,
    )
    assert parts == CONDITIONS[text]
    assert again == parts


def test_conditions_are_written_as_the_language_wants_them(modules: Modules) -> None:
    told = modules.call(
        "state/filters.js",
        "return [m.condition('agent', '=', 'a \"b\"', 'text'), m.condition('duration', '>', '5s',"
        " 'duration'), m.condition('has_error', 'not', '', 'flag'),"
        " m.condition('input', ':', 'x y', 'words'), m.condition('tag', 'exists', '', 'text'),"
        " m.keyed('score', 'tool accuracy'), m.keyed('score', 'helpful'), m.keyed('tag', '')]",
    )
    assert told == [
        r'agent = "a \"b\""',
        "duration > 5s",
        "not has_error",
        'input: "x y"',
        "tag exists",
        *('score."tool accuracy"', "score.helpful", "tag"),
    ]


def test_numbers_are_short_and_have_their_units(modules: Modules) -> None:
    told = modules.call(
        "format.js",
        "return [...[0, 0.02, 3.25, 999, 1234, 59949, 59950, 61000, 3600000].map(m.duration),"
        " ...[999, 1000, 12345, 99950, 1234567].map(m.short), m.bytes(1500), m.money(0.00001),"
        " m.money(0.0123), m.money(2), m.percent(0.031), m.percent(1)]",
    )
    lengths = ["0 ms", "20 µs", "3.3 ms", "999 ms", "1.23 s", "59.9 s", "1 m 00 s", "1 m 01 s"]
    counts = ["999", "1.0k", "12.3k", "100k", "1.23M"]
    money = ["<$0.0001", "$0.0123", "$2.00"]
    assert told == [*lengths, "1 h 00 m", *counts, "1.5 kB", *money, "3.1 %", "100 %"]


def test_what_is_hidden_in_a_text_is_shown(modules: Modules) -> None:
    told = modules.call(
        "ui/html.js",
        "return [m.visible('a\\u202Eb\\u200Bc\\u0007'), m.visible('خ\\u200Cخ 👩\\u200D💻 退款\\n'),"
        " m.line('a\\n b', 9), m.line('x'.repeat(9), 3)]",
    )
    assert told[0] == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0007⟩"
    assert told[1:] == ["خ\u200cخ 👩\u200d💻 退款\n", "a b", "xxx…"]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("iVBORw0KGgo" + "A" * 2_000, "image/png"),
        ("/9j/" + "4AAQ" * 500 + "==", "image/jpeg"),
        ("UklGRiQAAABXQVZF" + "Zm10" * 500, "audio/wav"),
        ("UklGRiQAAABXRUJQ" + "VlA4" * 500, "image/webp"),
        ("data:image/gif;base64," + "R0lG" * 500, "image/gif"),
        ("data:text/html;base64," + "PGI+" * 500, "text/html"),
        ("iVBORw0KGgo" + "A" * 9, ""),
        ("iVBORw0KGgo" + "A" * 2_000 + " is how it begins", ""),
        ("/9j/" + "a path/of many " * 500, ""),
        ("A" * 5_000, ""),
        ("see data:image/gif;base64," + "R0lG" * 500, ""),
    ],
    ids=lambda value: value[:20],
)
def test_bytes_of_files_are_told_from_texts(modules: Modules, text: str, type_: str) -> None:
    told = modules.call("step/json.js", "return m.dataOf(a[0]) ?? ''", text)
    assert told[: 5 + len(type_)] == (f"data:{type_}" if type_ else "")


@pytest.mark.parametrize(
    ("value", "are"),
    [
        ([{"role": "user", "content": "hi"}], True),
        ([{"role": "assistant", "content": None, "tool_calls": None, "name": None}], True),
        ([{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}, None]}], True),
        ([{"role": "user", "content": {"any": 1}}], True),
        ([{"role": 7}], False),
        ([{"role": "user", "name": {"first": "Ada"}}], False),
        ([{"role": "assistant", "tool_calls": {"0": {}}}], False),
        ([{"role": "assistant", "tool_calls": [{"function": {"arguments": {"a": 1}}}]}], False),
        ([None, {"role": "user"}], False),
        ([], False),
        ({"role": "user"}, False),
    ],
)
def test_only_what_can_be_drawn_as_messages_is(modules: Modules, value: object, are: bool) -> None:
    told = modules.call("step/messages.js", "return m.areMessages(a[0])", value)
    assert told is are


def test_shades_follow_the_ranks(modules: Modules) -> None:
    told = modules.call(
        "list/table.js",
        "const of = (v) => v.map(m.shades(v)); return [of([1, 2, 3, 4, 1000]), of([5, 5]),"
        " of([null, 0, 7])]",
    )
    assert told == [[0, 0, 0, 2, 4], [0, 0], [0, 0, 4]]


def test_events_are_read_however_they_are_cut(modules: Modules) -> None:
    told = modules.call(
        "state/follow.js",
        "const bytes = new TextEncoder().encode(a[0]); const out = [];"
        "const pieces = new ReadableStream({start(c) { for (const b of bytes)"
        " c.enqueue(new Uint8Array([b])); c.close(); }});"
        "for await (const one of m.events(pieces)) out.push(one); return out",
        'retry: 1\n\nid: 7\ndata: {"a":\ndata: "é"}\n\n: alive\n\n',
    )
    assert told == [
        {"id": "", "data": ""},
        {"id": "7", "data": '{"a":\n"é"}'},
        {"id": "", "data": ""},
    ]


ROWS_TAKEN = """
const lines = [...Array(a[0]).keys()].map((n) => JSON.stringify({n, said: "é".repeat(200)}));
const bytes = new TextEncoder().encode([...lines, a[1]].join("\\n"));
const {fetch} = window;
window.fetch = async () => new Response(new ReadableStream({start(c) {
  for (let at = 0; at < bytes.length; at += 60_001) c.enqueue(bytes.slice(at, at + 60_001));
  c.close();
}}));
const told = {rows: 0, inOrder: true, looks: 0, end: null};
const looking = setInterval(() => (told.looks += 1));
try {
  told.end = await m.getRows("/v1/made/up", {}, (row) => {
    told.inOrder &&= row.n === told.rows++;
  });
} catch (error) {
  told.end = error.message;
}
clearInterval(looking);
Object.assign(window, {fetch});
return told;
"""


def test_very_many_rows_are_taken_some_at_a_time(modules: Modules) -> None:
    end = {"end": True, "count": 100_000, "version": 3}
    told = modules.call("api.js", ROWS_TAKEN, end["count"], json.dumps(end) + "\n")
    assert (told["rows"], told["inOrder"], told["end"]) == (100_000, True, end)
    assert told["looks"] > 3, "whoever presses a key meanwhile is heard"


@pytest.mark.parametrize("last", ['{"n": 2, "cut o', '{"error": "no store", "count": 2}\n'])
def test_rows_that_end_early_are_not_taken_for_all(modules: Modules, last: str) -> None:
    told = modules.call("api.js", ROWS_TAKEN, 2, last)
    assert "cut off" in told["end"]


RAN = {"extraction": {"status": "settled"}, "agent_steps": [], "id": "t"}


def step_of(input_text: str, *, failed: bool = False) -> dict[str, object]:
    error = {"error": {"code": -1, "msg": "boom"}} if failed else {}
    return {"id": "s", "name": "n", "input": input_text, "output": "o", "basic_info": error}


@pytest.mark.parametrize(
    ("roots", "role"),
    [
        ([step_of("q")], "reference"),
        ([step_of("q"), step_of("q", failed=True)], "reference"),
        ([step_of("q", failed=True)], "input"),
        ([step_of("q", failed=True), step_of("")], "input"),
        ([step_of("", failed=True)], "reference"),
        ([], "reference"),
    ],
)
def test_runs_that_are_no_references_are_inputs_of_a_dataset(
    modules: Modules, roots: list[dict[str, object]], role: str
) -> None:
    found = [{"source": {"trace": "t"}, "document": {**RAN, "root_step": root}} for root in roots]
    assert modules.call("dataset/dialog.js", "return m.fittingRole(a[0])", found) == role


LOOP = [
    Row(0, "agent", "coder"),
    *(Row(1, "tool", "tests", at, 2, tin=1, flags=64 * (at > 0)) for at in range(4)),
    Row(1, "model", "chat", 9, 1),
    Row(1, "tool", "tests", 10, 5, flags=65),
    Row(1, "tool", "read", 20, 1),
    Row(1, "tool", "read", 21, 1, flags=64),
]


def test_equal_calls_in_a_row_are_one_row_that_opens(modules: Modules) -> None:
    told = modules.view(
        LOOP,
        "const seen = [shown()];"
        "const loop = v.loops.get(1);"
        "v.toggle(1); seen.push(shown().map((i) => [i, v.level[i], v.siblings(i)]));"
        "v.all(true); seen.push(shown()); v.reveal(6); seen.push(shown().length); v.all(true);"
        "v.filter({kinds: new Set(['model']), text: '', found: null, isAlone: false});"
        "seen.push(shown()); v.filter(null); v.showFrames(true); seen.push(shown().length);"
        "return [loop, v.loops.size, ...seen]",
    )
    loop = {"first": 1, "end": 7, "times": 5, "until": 15, "tokens": 4, "errors": 1}
    opened = [[0, 0, 1], [1, 1, 3], *([at, 2, 5] for at in range(2, 7)), [7, 1, 3], [8, 1, 3]]
    assert told == [loop, 1, [0, 1, 7, 8], opened, [0, 1, 7, 8], 9, [0, 5], 9]


def test_a_loop_ends_where_framework_spans_around_it_have_more(modules: Modules) -> None:
    rows = [Row(0, "agent", "coder")]
    for at in range(3):
        rows += [Row(1, "other", "node", flags=4), Row(2, "tool", "tests", flags=64 * (at > 0))]
    assert modules.view(rows, "return [shown(), v.loops.get(2).end]") == [[0, 2], 7]
    more = [*rows, Row(2, "tool", "other")]
    assert modules.view(more, "return v.loops.size") == 0


def test_agents_of_a_run_are_boxes_with_their_calls(modules: Modules) -> None:
    """Calls of a name share a line, agents of a name a box; beyond 60 boxes, agents share one."""
    rows = [Row(0, "agent", "lead", 0, 100_000)]
    for at in range(20_000):
        rows += [Row(1, "agent", f"a{at % 100}", at, 1, tin=2), Row(2, "tool", "search", at, 1)]
        rows += [Row(2, "tool", "transfer_to_a1", at, 1), Row(2, "model", "m", at, 1, tin=1)]
    told = modules.view(
        rows,
        "const { agentsOf } = await import(url.replace('tree/view.js', 'run/agents.js'));"
        "const { agents, edges } = agentsOf(v.o, 0, v.o.n);"
        "const first = agents[1];"
        "return [agents.length, agents.at(-1).rows.length, first.rows.length, first.tokens,"
        " [...first.inner.values()].map((one) => [one.kind, one.name, one.first, one.calls]),"
        " edges.find((one) => one.from === 'agent/lead' && one.to === 'agent/a0'),"
        " edges.find((one) => one.from === 'agent/a0')]",
    )
    inner = [["tool", "search", 2, 200], ["tool", "transfer_to_a1", 3, 200], ["model", "m", 4, 200]]
    called = {"from": "agent/lead", "to": "agent/a0", "calls": 200, "handoffs": 0}
    handed = {"from": "agent/a0", "to": "agent/a1", "calls": 0, "handoffs": 200}
    assert told == [61, 41 * 200, 200, 600, inner, called, handed]
