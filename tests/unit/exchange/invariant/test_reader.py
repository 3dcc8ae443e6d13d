"""Every form of Invariant's JSON lines becomes runs with stable ids; faults name their place."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.support.drafted import planner

from spanloom.client.transfer.documents import read_run
from spanloom.core.document import Document
from spanloom.core.exchange.ids import trace_id_of
from spanloom.core.exchange.invariant.reader import INVARIANT
from spanloom.core.exchange.invariant.writer import encode_invariant
from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored

Json = dict[str, Any]
ASKED: Json = {"role": "user", "content": "Hello, how are you?"}
ANSWERED: Json = {"role": "assistant", "content": "Thanks, I am doing great!"}
CALLED = """{
    "role": "assistant",
    "content": "Sending an email to your mom now.",
    "tool_calls": [
        {
            "type": "function",
            "function": {
                "name": "send_email",
                "arguments": {
                    "to": "mom@mail.com",
                    "subject": "Running late, sorry!",
                }
            }
        }
    ]
}"""
"""The example in Invariant's documentation: it has no id and one comma too many."""
RAN: Json = {"role": "tool", "content": "Email sent successfully."}


def read(*values: Any) -> list[Taken | Refused]:
    located = [Located(f"line {n}", value) for n, value in enumerate(values, 1)]
    return list(INVARIANT.read(located, Reading("invariant")))


def taken(*values: Any) -> Taken:
    (one,) = read(*values)
    assert isinstance(one, Taken), one
    read_run(one.document, "other")  # a restore would accept it unchanged
    return one


def written(document: Json) -> list[Json]:
    lines: list[Json] = json.loads(
        encode_invariant(Stored(json.dumps(document).encode()), Losses())
    )
    return lines


def test_the_messages_of_the_documentation_are_read_as_they_are() -> None:
    called = json.loads(re.sub(r",(\s*})", r"\1", CALLED))
    one = taken([ASKED, called, RAN, ANSWERED])
    document = Document(one.document)
    first, tool, last = document.steps
    assert [step.type for step in document.steps] == ["model", "tool", "model"]
    assert (tool.name, tool.output) == ("send_email", "Email sent successfully.")
    assert json.loads(tool.input) == {"to": "mom@mail.com", "subject": "Running late, sorry!"}
    assert tool.metadata["tool_call_id"] == f"{first.id}.0"
    assert json.loads(first.input) == [ASKED]
    assert json.loads(last.output) == [ANSWERED]
    assert document.root.input == "Hello, how are you?"
    assert document.root.output == "Thanks, I am doing great!"
    assert one.losses.counts[Code.CALL_ID_MADE] == 1
    (line,) = written(one.document)
    assert [m["content"] for m in line["messages"]] == [
        "Hello, how are you?",
        "Sending an email to your mom now.",
        "Email sent successfully.",
        "Thanks, I am doing great!",
    ]


def test_a_message_alone_is_a_run() -> None:
    """A line may contain nothing but one message of the user."""
    document = taken(ASKED).document
    (line,) = written(document)
    assert line["messages"] == [ASKED]


def test_the_planner_comes_back_as_the_same_lines() -> None:
    lines = written(planner())
    one = taken(*lines)
    assert one.document["id"] == planner()["id"]
    assert one.document["extraction"]["dialects"] == ["invariant"]
    assert [agent["name"] for agent in one.document["agent_steps"]] == ["planner", "critic"]
    assert written(one.document) == lines
    assert written(taken(lines).document) == lines  # one JSON array, as an HTTP response has it


def test_the_same_file_gives_the_same_documents() -> None:
    values = [[ASKED, ANSWERED], {"messages": [ASKED], "metadata": {"trace_id": "run-7"}}]
    first, second = read(*values), read(*values)
    assert [getattr(one, "document", one) for one in first] == [
        getattr(one, "document", one) for one in second
    ]
    named = first[1]
    assert isinstance(named, Taken)
    assert named.document["id"] == trace_id_of("invariant", "default", "run-7")
    assert named.document["extraction"]["metadata"] == {"source_id": "run-7"}


def test_a_request_of_the_sdk_is_a_run_for_each_list() -> None:
    pushed = {
        "messages": [[ASKED, ANSWERED], [ASKED]],
        "annotations": [[{"content": "fine", "address": "messages.1.content:0-6"}], []],
        "metadata": [{"name": "greeter"}, {}],
        "dataset": "greetings",
    }
    first, second = read(pushed)
    assert isinstance(first, Taken)
    assert isinstance(second, Taken)
    assert first.document["root_step"]["name"] == "greeter"
    (score,) = first.scores
    steps = [step for agent in first.document["agent_steps"] for step in agent["steps"]]
    assert (score["target"], score["step_id"]) == ("step", steps[0]["id"])
    assert (score["value"], score["value_type"], score["source"]) == ("fine", "text", "import")
    place = {"address": "messages.1.content:0-6", "field": "output", "part": "0.content"}
    assert score["evidence"][0].items() >= place.items()
    assert second.scores == []
    assert first.document["id"] != second.document["id"]
    (refused,) = read({**pushed, "metadata": [{}]})
    assert refused == Refused("line 1", "metadata: a list as long as messages is needed")


def test_the_line_of_a_dataset_is_no_run() -> None:
    one = taken({"metadata": {"accuracy": 0.5}}, {"index": 0, "messages": [ASKED]})
    assert one.place == "line 2"
    assert one.losses.counts[Code.METADATA_DROPPED] == 1


def test_agents_follow_their_run() -> None:
    run = {"messages": [ASKED, ANSWERED], "metadata": {"trace_id": "r", "agent": "planner"}}
    critic = {"messages": [ASKED], "metadata": {"parent_trace": "r", "agent": "critic"}}
    alone = {"messages": [ASKED], "metadata": {"parent_trace": "another", "agent": "critic"}}
    first, second, third = read(run, critic, critic, alone, [ASKED])
    assert isinstance(first, Taken)
    names = [agent["name"] for agent in first.document["agent_steps"]]
    assert names == ["planner", "critic", "critic"]
    assert isinstance(second, Taken)
    assert second.document["root_step"]["name"] == "critic"
    assert isinstance(third, Taken)


def test_a_run_that_is_named_otherwise_than_its_agent_has_a_root_around_it() -> None:
    line = {"messages": [ASKED, ANSWERED], "metadata": {"name": "graph", "agent": "planner"}}
    document = taken(line).document
    assert document["root_step"]["name"] == "graph"
    assert document["extraction"]["root_type"] == "other"
    assert [a["name"] for a in document["agent_steps"] if a["steps"]][-1] == "planner"


def test_times_are_those_of_messages_and_never_go_back() -> None:
    times = ["2026-03-01T12:00:00Z", "2026-03-01T14:00:05+02:00", None, "2026-03-01T12:00:01"]
    messages = [
        {**message, "timestamp": time}
        for message, time in zip([ASKED, ANSWERED, ASKED, ANSWERED], times, strict=True)
    ]
    one = taken(messages)
    first, last = Document(one.document).steps
    assert first.started_at == 1_772_366_405_000
    assert last.started_at == first.started_at
    assert one.losses.counts[Code.DURATION_UNKNOWN] == 2
    assert "timestamp" not in first.output


def test_messages_before_the_first_with_a_time_are_before_it() -> None:
    """A system prompt rarely has a timestamp; the run must not begin in 1970 because of it."""
    prompt = {"role": "system", "content": "be brief"}
    answer = {**ANSWERED, "timestamp": "2026-03-01T12:00:05Z"}
    document = taken([prompt, ASKED, answer]).document
    info = document["root_step"]["basic_info"]
    assert 1_772_366_405_000 - 10 <= int(info["started_at"]) <= 1_772_366_405_000
    assert int(info["duration"]) <= 10


def test_a_bad_line_is_named_and_its_neighbours_are_taken() -> None:
    broken = {"messages": [ASKED, {"role": 7, "content": ""}]}
    results = read([ASKED], broken, "text", {"messages": {}}, [ASKED, ANSWERED])
    assert [type(one) for one in results].count(Taken) == 2
    assert [one for one in results if isinstance(one, Refused)] == [
        Refused("line 2", "messages.1.role: a string is needed here, not a number"),
        Refused("line 3", "an object or a list is needed, not a string"),
        Refused("line 4", "messages: a list is needed here, not an object"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "assistant", "tool_calls": [{"id": 7, "function": {"arguments": [1]}}]},
        {"role": "tool", "tool_call_id": None, "content": [{"type": "text", "text": "dry"}]},
        {"role": "critic", "content": {"any": "thing"}},
        {"role": "user", "content": "\ud800 half"},
    ],
)
def test_odd_messages_are_taken_and_stay(message: Json) -> None:
    lines = written(taken([ASKED, message, ASKED, ANSWERED]).document)
    assert written(taken(*lines).document) == lines


def test_a_text_of_10_mb_stays() -> None:
    """The reader keeps the text, which a service refuses (8 MiB) but other formats may contain."""
    (one,) = read([ASKED, {**ANSWERED, "content": "x" * 10_000_000}])
    assert isinstance(one, Taken)
    (line,) = written(one.document)
    assert len(line["messages"][-1]["content"]) == 10_000_000


@pytest.mark.parametrize("depth", [200, 100_000])
def test_depth_is_bounded(depth: int) -> None:
    value: Any = "deep"
    for _ in range(depth):
        value = [value]
    call = {"id": "c", "function": {"name": "n", "arguments": {"a": value}}}
    first, second = read([{"role": "assistant", "content": "", "tool_calls": [call]}], [ASKED])
    assert isinstance(second, Taken)
    if depth > 254:
        assert first == Refused("line 1", "it is nested too deeply")
    else:
        assert isinstance(first, Taken)
        lines = written(first.document)
        assert written(taken(*lines).document) == lines


def test_long_lists_take_time_that_grows_with_them() -> None:
    messages = [ASKED, {"role": "assistant", "content": "yes"}] * 5_000
    document = taken(messages).document
    assert len(json.dumps(document)) < 20_000_000
    (line,) = written(document)
    assert line["messages"] == messages
    (refused,) = read([ASKED] * 100_001)
    assert refused == Refused("line 1", "it has more than 100,000 messages")


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"index": 0, "messages": [], "annotations": [], "metadata": {}}, True),
        ({"messages": [[ASKED]]}, True),
        ([{"index": 0, "messages": [ASKED]}], True),
        ({"messages": [ASKED], "metadata": {}}, False),
        ([ASKED], False),
        ([], False),
        (planner(), False),
        (7, False),
    ],
)
def test_the_shape_of_a_line_is_recognised(value: Any, *, fits: bool) -> None:
    assert INVARIANT.fits(value) is fits


def test_the_registry_names_both() -> None:
    assert formats_of(Of.RUN)["invariant"].load_writer() is encode_invariant
    assert formats_of(Of.RUNS)["invariant"].load_reader() is INVARIANT


def test_annotations_of_another_form_are_counted_and_of_no_message_are_of_the_run() -> None:
    notes = [{"content": "fine", "address": "messages.9"}, {"content": 7}, "fine"]
    (found,) = read({"messages": [ASKED, ANSWERED], "annotations": notes})
    assert isinstance(found, Taken)
    assert [(score["target"], score["value"]) for score in found.scores] == [("trajectory", "fine")]
    assert found.losses.counts[Code.SCORES_DROPPED] == 2
