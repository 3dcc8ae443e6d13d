"""Each message counts as new in one step only, and a step's hash covers its new texts alone."""

from __future__ import annotations

import orjson
from tests.support.texts import conversation

from spanloom.core.messages.new_texts import NO_TEXT, StepTexts, find_new_texts


def told(
    number: int, kind: str, given: str = "", said: str = "", error: str = "", lasts: int = 5
) -> StepTexts:
    start_ms = 10 * number
    return StepTexts(f"{number:016x}", kind, kind, start_ms, start_ms + lasts, given, said, error)


def brought(*steps: StepTexts) -> list[tuple[str, str]]:
    return [(new.input, new.output) for new in find_new_texts(steps)]


def answer(text: str) -> str:
    return orjson.dumps([{"role": "assistant", "content": text}]).decode()


def test_a_message_is_brought_by_the_call_that_had_it_first() -> None:
    assert brought(
        told(1, "model", conversation("a"), answer("b")),
        told(2, "model", conversation("a", "b", "c"), answer("d")),
        told(3, "model", conversation("a", "b", "c", "d", "e"), answer("f")),
    ) == [("a", "b"), ("c", "d"), ("e", "f")]


def test_a_conversation_that_was_cut_or_changed_is_read_as_a_whole() -> None:
    assert brought(
        told(1, "model", conversation("a"), answer("b")),
        told(2, "model", conversation("summary", "b", "c"), answer("d")),
    ) == [("a", "b"), ("summary\n\nc", "d")]


def test_what_a_tool_is_given_and_gives_back_is_its_own() -> None:
    call = {"id": "1", "function": {"name": "find", "arguments": '{"id": "ORD-1"}'}}
    asks = orjson.dumps([{"role": "assistant", "content": "", "tool_calls": [call]}]).decode()
    results = conversation("a")[:-1] + ',{"role":"tool","content":"found","tool_call_id":"1"}]'
    assert brought(
        told(1, "model", conversation("a"), asks),
        told(2, "tool", '{"id": "ORD-1"}', "found"),
        told(3, "tool", '{"id": "ORD-1"}', "found"),
        told(4, "model", results, answer("b")),
    ) == [("a", "find id: ORD-1"), ("id: ORD-1", "found"), ("id: ORD-1", "found"), ("", "b")]


def test_an_agent_answers_only_what_nothing_inside_it_said() -> None:
    agent = told(0, "agent", conversation("a"), answer("b"), lasts=100)
    assert brought(agent, told(1, "model", conversation("a"), answer("b"))) == [
        ("a", ""),
        ("", "b"),
    ]
    assert brought(agent, told(1, "model", conversation("a"), answer("c")))[0] == ("a", "b")


def test_calls_that_take_no_time_follow_each_other_in_the_order_of_the_document() -> None:
    calls = [
        told(1, "model", conversation("a"), answer("b"), lasts=0),
        told(1, "model", conversation("a", "b", "c"), answer("d"), lasts=0),
    ]
    assert brought(*calls) == [("a", "b"), ("c", "d")]


def test_the_hash_follows_what_is_brought_and_nothing_else() -> None:
    first, later = told(1, "tool", "a", "b"), told(2, "model", conversation("q"), answer("r"))
    [_, of_later] = find_new_texts([first, later])
    [_, unchanged] = find_new_texts([told(1, "tool", "x", "y"), later])
    [_, without] = find_new_texts([told(1, "tool", "q", "y"), later])
    assert unchanged == of_later
    assert without.hash != of_later.hash
    assert len({new.hash for new in find_new_texts([first, first._replace(id="9" * 16)])}) == 2
    renamed = first._replace(name="other")
    assert find_new_texts([renamed])[0].hash != find_new_texts([first])[0].hash


def test_a_step_that_says_nothing_has_no_hash() -> None:
    assert [new.hash for new in find_new_texts([told(1, "tool"), told(2, "tool", '""')])] == [
        NO_TEXT,
        NO_TEXT,
    ]
    assert find_new_texts([told(1, "tool", error="boom")])[0].hash != NO_TEXT
