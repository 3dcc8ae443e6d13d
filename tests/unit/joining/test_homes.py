"""Each part of a run is assigned to its home, the trace that shows the whole run."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from spanloom.core.joining.homes import DAY_NS, PAUSE_NS, find_homes
from spanloom.core.joining.parts import Part
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = 20_000 * DAY_NS + DAY_NS // 2
MINUTE = 60 * 10**9


def part(name: str, start_ns: int, *, opens: bool = False, prompt: int = 0, lasts: int = 1) -> Part:
    start_ns += NOON
    key = TraceKey("p", name)
    return Part(key, "s", start_ns, start_ns + lasts, start_ns if opens else 0, prompt, 1)


def turn(name: str, start_ns: int, *, prompt: int = 0) -> Part:
    """Return the part for a trace with the span of a turn that a person's prompt began."""
    return part(name, start_ns, prompt=prompt)._replace(is_whole=True)


def homes(*parts: Part) -> dict[str, str]:
    found = {key.trace_id: home.trace_id for key, home in find_homes(parts).items()}
    mixed = list(parts)
    random.Random(1).shuffle(mixed)
    assert {k.trace_id: h.trace_id for k, h in find_homes(mixed).items()} == found
    return found


def groups(found: dict[str, str]) -> Sequence[str]:
    members: dict[str, str] = {}
    for name, home in sorted(found.items()):
        members[home] = members.get(home, "") + name
    return sorted(members.values())


def test_a_prompt_opens_a_run_until_the_next_one() -> None:
    found = homes(
        part("a", 0, opens=True),
        part("b", 5),
        part("c", 9),
        part("d", 10, opens=True),
        part("e", 11),
    )
    assert found == {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d"}


def test_who_names_the_prompt_of_a_run_belongs_to_it_whenever_it_began() -> None:
    found = homes(
        part("a", 10, opens=True, prompt=1),
        part("b", 20, opens=True, prompt=2),
        part("c", 30, prompt=1),
        part("d", 5, prompt=1),
        part("e", 30, prompt=9),
    )
    assert found == {"a": "a", "b": "b", "c": "a", "d": "a", "e": "b"}


def test_of_two_runs_that_name_one_prompt_the_last_before_counts() -> None:
    found = homes(
        part("a", 10, opens=True, prompt=1),
        part("b", 20, opens=True, prompt=1),
        part("c", 15, prompt=1),
        part("d", 25, prompt=1),
    )
    assert found == {"a": "a", "b": "b", "c": "a", "d": "b"}


def test_without_a_prompt_there_is_a_run_for_each_that_is_named() -> None:
    found = homes(part("a", 0, prompt=1), part("b", 1, prompt=2), part("c", 2, prompt=1))
    assert groups(found) == ["ac", "b"]


def test_without_any_name_there_is_a_run_until_a_pause() -> None:
    late = PAUSE_NS + 10 * MINUTE
    found = homes(part("a", 0, lasts=10 * MINUTE), part("b", late), part("c", late + PAUSE_NS + 2))
    assert groups(found) == ["ab", "c"]


def test_what_came_before_the_first_prompt_is_no_part_of_its_run() -> None:
    assert groups(homes(part("a", 0), part("b", 1), part("c", 2, opens=True))) == ["ab", "c"]


def test_a_run_is_not_longer_than_a_day() -> None:
    found = homes(part("a", 0, opens=True), part("b", DAY_NS), part("c", DAY_NS + 1))
    assert groups(found) == ["ab", "c"]


def test_the_traces_of_other_days_change_nothing() -> None:
    near = [part("a", 0, opens=True), part("b", 5), part("c", 9)]
    far = [part("x", -5 * DAY_NS, opens=True), part("y", 5 * DAY_NS), part("z", -5 * DAY_NS)]
    alone, among = homes(*near), homes(*near, *far)
    assert {name: among[name] for name in alone} == alone


def test_spans_of_turns_open_runs_where_no_prompt_is_recorded() -> None:
    found = homes(turn("a", 0), part("b", 5), turn("c", 10), part("d", 12))
    assert groups(found) == ["ab", "cd"]


def test_numbers_of_prompts_that_begin_anew_are_two_turns() -> None:
    assert groups(homes(turn("a", 0, prompt=1), turn("b", MINUTE, prompt=1))) == ["a", "b"]


def test_a_prompt_is_that_of_the_turn_after_it() -> None:
    found = homes(
        part("a", 0, opens=True, prompt=1),
        turn("b", 5, prompt=1),
        part("c", MINUTE, opens=True, prompt=1),
        turn("d", MINUTE - 9, prompt=1),
        part("e", MINUTE + 9),
    )
    assert found == {"a": "a", "b": "a", "c": "c", "d": "c", "e": "c"}


def test_a_prompt_of_another_id_is_none_of_the_turn() -> None:
    found = homes(part("a", 0, opens=True, prompt=1), turn("b", 5, prompt=2))
    assert groups(found) == ["a", "b"]


def test_many_prompts_and_turns_take_little_time() -> None:
    parts = [part(f"p{n}", n * MINUTE, opens=True, prompt=n) for n in range(1, 1200)]
    turns = [turn(f"t{n}", n * MINUTE + 9, prompt=n) for n in range(1, 1200)]
    assert len(set(find_homes([*parts, *turns]).values())) == 1199
