"""Several runs as one outline: modules of a conversation's page, called in the browser."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.outlines import Row, encode_outline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.page_modules import Modules

ORIGIN_MS = 1_763_600_000_000
"""The time at which the outlines of ``encode_outline`` begin."""
FIRST = (
    Row(0, "agent", "planner", 0, 100, "planner"),
    Row(1, "model", "chat", 10, 10, "planner", 7, 3),
    Row(1, "tool", "search", 20, 20, "planner", flags=1),
)
LAST = (
    Row(0, "agent", "coder", 0, 50, "coder"),
    Row(1, "other", "RunnableSequence", 1, 40, flags=4),
    Row(2, "model", "chat", 2, 30, "coder", 100, 20),
)
FOREST = """
const { decode } = await import(url.replace('conversation/join.js', 'tree/outline.js'));
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const outline = (text) => text && decode(bytes(text));
const { addressOf, rowAt } = await import(url.replace('conversation/join.js', 'tree/outline.js'));
const parts = a[0].map(([run, text]) => ({ run, outline: outline(text) }));
const { join } = m;
const o = join(parts);
const v = new m.Forest(o, a[1]);
const shown = () => [...v.rows.subarray(0, v.count)];
"""


def part(
    at: int, rows: Sequence[Row] = (), *, failures: int = 0
) -> tuple[dict[str, object], str | None]:
    """Return a run as listed by the API, a minute after the previous one, and its outline."""
    begun = ORIGIN_MS + at * 60_000
    run: dict[str, object] = {
        "trace_id": f"{at:032x}",
        "root_name": f"run {at}",
        "started_at": str(begun),
    }
    run |= {"duration": "100", "input_tokens": 40, "output_tokens": 2, "failures": failures}
    if not rows:
        return run, None
    moved = [row._replace(start=row.start + at * 60_000) for row in rows]
    return run, base64.b64encode(encode_outline(moved, unit_ns=1_000_000)).decode()


def forest(modules: Modules, body: str, *arguments: object) -> Any:
    return modules.call("conversation/join.js", FOREST + body, *arguments)


def test_runs_stand_above_their_steps_each_at_its_own_time(modules: Modules) -> None:
    told = forest(
        modules,
        "return {names: [...o.name].map((n) => o.names[n]),"
        " kinds: [...o.kind].map((k) => o.kinds[k]),"
        " agents: [...o.agent].map((n) => o.agents[n]), depth: [...o.depth], start: [...o.start],"
        " tokens: [...o.tokens], errors: [...o.errors], last: o.last, ttft: o.ttft.length}",
        [part(0, FIRST), part(1, failures=2), part(2, LAST)],
        False,
    )
    assert told == {
        "names": [
            *("run 0", "planner", "chat", "search", "run 1", "…"),
            *("run 2", "coder", "RunnableSequence", "chat"),
        ],
        "kinds": ["run", "agent", "model", "tool", "run", "run", "run", "agent", "other", "model"],
        "agents": ["", "planner", "planner", "planner", "", "", "", "coder", "", "coder"],
        "depth": [0, 1, 2, 2, 0, 1, 0, 1, 2, 3],
        "start": [0, 0, 10, 20, 60_000, 60_000, 120_000, 120_000, 120_001, 120_002],
        "tokens": [10, 10, 10, 0, 42, 42, 120, 120, 120, 120],
        "errors": [1, 1, 0, 1, 1, 1, 0, 0, 0, 0],
        "last": 120_100,
        "ttft": 10,
    }


def test_a_conversation_of_years_keeps_its_milliseconds(modules: Modules) -> None:
    run, outline = part(0, FIRST)
    late = {**part(1)[0], "started_at": str(ORIGIN_MS + 5 * 365 * 86_400_000 + 7)}
    told = forest(modules, "return [o.start[4], o.unit]", [(run, outline), (late, None)], False)
    assert told == [5 * 365 * 86_400_000 + 7, 1_000_000]


def test_rows_are_named_by_their_run_and_found_again(modules: Modules) -> None:
    first, second = f"{0:032x}", f"{1:032x}"
    told = forest(
        modules,
        "return {said: [0, 2, 4, 5].map((i) => addressOf(o, i)),"
        " found: a[2].map((text) => rowAt(o, text)), at: [0, 3, 4, 5].map((i) => o.runs.at(i)),"
        " waiting: [3, 4, 5].map((i) => o.runs.isWaiting(i))}",
        [part(0, FIRST), part(1)],
        False,
        [first, f"{first}/{2:016x}", f"{second}/{2:016x}", "", "f" * 32, f"{first}/zz", None],
    )
    assert told == {
        "said": [first, f"{first}/{2:016x}", second, second],
        "found": [0, 2, 4, -1, -1, 0, -1],
        "at": [0, 0, 1, 1],
        "waiting": [False, False, True],
    }


def test_what_is_open_stays_open_when_steps_come_in(modules: Modules) -> None:
    told = forest(
        modules,
        "const before = shown();"
        "v.toggle(0); v.toggle(1); v.toggle(4);"  # both runs open, the agent of the first closed
        "const had = o.runs;"
        "parts[1] = { ...parts[1], outline: outline(a[2]) };"
        "v.grow(join([...parts, ...a[3].map(([run]) => ({ run, outline: null }))]));"
        "return {before, now: shown(), moved: [0, 3, 4, 5, 6].map((i) => had.moved(v.o.runs, i)),"
        " open: [0, 1, 4, 5, 8, 10].map((i) => v.isOpen(i))}",
        [part(0, FIRST), part(1), part(2)],
        True,
        part(1, LAST)[1],
        [part(3)],
    )
    assert told == {
        "before": [0, 4, 6],
        "now": [0, 1, 4, 5, 7, 8, 10],  # row 6 is a framework span
        "moved": [0, 3, 4, 5, 8],
        "open": [True, False, True, True, False, False],
    }


def test_idle_time_between_turns_is_cut_out_however_many_there_are(modules: Modules) -> None:
    told = forest(
        modules,
        "const clocks = await import(url.replace('conversation/join.js', 'tree/clock.js'));"
        "const c = new clocks.Clock(o, clocks.gaps(o, o.runs.heads));"
        "const times = [0, 50, 100, 30000, 60000, 60100, 599 * 60000 + 100];"
        "return {cuts: c.cut.length, places: times.map((t) => c.of(t)),"
        " back: times.map((t) => Math.round(c.at(c.of(t)))), seam: c.seam}",
        [part(at) for at in range(600)],
        True,
    )
    busy = 600 * 100
    assert told["cuts"] == 599
    assert told["back"] == [0, 50, 100, 30_000, 60_000, 60_100, 599 * 60_000 + 100]
    assert told["places"][2:5:2] == [100, pytest.approx(100 + told["seam"])]
    assert told["places"][-1] < busy * 1.3, "seams take less than the runs"
