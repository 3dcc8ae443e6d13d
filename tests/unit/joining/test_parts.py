"""A trace yields its part of a run: conversation, prompt, times, service and size."""

from __future__ import annotations

import pytest
from tests.support.spans import MS, START_NS, make_span

from spanloom.core.extract import extract
from spanloom.core.joining import parts
from spanloom.core.joining.parts import Part, find_part, part_of
from spanloom.core.model.span import Event, Span, TraceKey

KEY = TraceKey("p", "ab" * 16)


@pytest.fixture(autouse=True)
def any_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FRAGMENT", "")


def found(*spans: Span) -> Part | None:
    return find_part(KEY, extract(KEY, spans), spans)


def prompt(**attributes: str) -> Event:
    told = {"event.name": "codex.user_prompt", **attributes}
    return Event(START_NS + 3 * MS, "codex.user_prompt", told)


def test_a_part_names_its_conversation_times_and_size() -> None:
    spans = make_span(1, attributes={"session.id": "S", "prompt_id": "P"}), make_span(2, 1, end=20)
    part = found(*spans)
    assert part is not None
    assert (part.start_ns, part.end_ns) == (START_NS, START_NS + 20 * MS)
    assert (part.prompt_ns, part.span_count) == (0, 2)
    assert part.prompt != 0


def test_a_prompt_is_an_event_or_a_span() -> None:
    event = found(make_span(1, attributes={"session.id": "S"}, events=[prompt()]))
    record = found(
        make_span(1, attributes={"session.id": "S", "event.name": "qwen-code.user_prompt"}, start=4)
    )
    assert event is not None
    assert record is not None
    assert event.prompt_ns == START_NS + 3 * MS
    assert record.prompt_ns == START_NS + 4 * MS
    assert event.span_count == 2  # the record counts as a span if its own span is lost


def test_the_conversation_is_that_of_the_prompt_then_of_the_root() -> None:
    def session_of(*spans: Span) -> str:
        part = found(*spans)
        assert part is not None
        return part.session

    root = make_span(1, attributes={"session.id": "S"})
    other = make_span(2, 1, {"conversation.id": "T"})
    asking = make_span(3, 1, events=[prompt(**{"conversation.id": "T"})])
    alone = session_of(root)
    assert session_of(root, other) == alone
    assert session_of(root, asking) == session_of(make_span(1, attributes={"session.id": "T"}))
    assert session_of(root._replace(service_name="x")) != alone


def test_without_a_conversation_or_the_rule_a_trace_is_a_run_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found(make_span(1)) is None
    monkeypatch.setattr(parts, "FRAGMENT", ".fragment")
    assert found(make_span(1, attributes={"session.id": "S"})) is None


def test_a_part_comes_back_as_it_was_stored() -> None:
    part = found(make_span(1, attributes={"session.id": "S", "prompt.id": "P"}, events=[prompt()]))
    assert part is not None
    part = part._replace(home="cd" * 16)
    assert part_of(part.as_call()) == part


def test_the_service_is_that_of_the_root_or_of_the_first_span_that_has_one() -> None:
    root, below = make_span(1, attributes={"session.id": "S"}), make_span(2, 1)
    ours, theirs = below._replace(service_name="a"), root._replace(service_name="a")
    sessions = {found(root, ours), found(theirs, below._replace(service_name="b"))}
    assert len({part.session for part in sessions if part is not None}) == 1


def test_a_record_counts_from_when_it_was_written() -> None:
    """The record's time counts, as Codex's time to first token begins before the prompt."""
    record = {"event.name": "codex.turn_ttft", "log.bridge": "true", "session.id": "S"}
    part = found(make_span(1, attributes=record, start=-50, end=7))
    assert part is not None
    assert part.start_ns == START_NS + 7 * MS


@pytest.mark.parametrize(
    ("prompt_id", "is_named"),
    [("P", True), ("S####1", True), ("S", False), ("a3949598-f1ed#0", False)],
)
def test_the_id_of_a_conversation_or_of_a_sub_agents_turn_names_no_prompt(
    prompt_id: str, is_named: bool
) -> None:
    part = found(make_span(1, attributes={"session.id": "S", "gen_ai.prompt.name": prompt_id}))
    assert part is not None
    assert bool(part.prompt) is is_named
