"""Exports of any run with any assessments are valid; no assessment is lost or moved."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.assessed import at_address, check_messages, check_snorkel, nodes_of

from spanloom.core.exchange.invariant.writer import invariant_lines
from spanloom.core.exchange.snorkel.writing import snorkel_trace
from spanloom.core.model.annotation import Assessment, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

    Json = dict[str, Any]

ROOT = "r"
IDS = st.sampled_from([ROOT, *"abcdefgh"])
WORDS = st.text(st.sampled_from("ab 中😀\n"), min_size=1, max_size=6)
CALL = st.fixed_dictionaries(
    {"type": st.just("function")},
    optional={
        "id": st.sampled_from(["c1", "c2", ""]),
        "function": st.fixed_dictionaries(
            {"name": WORDS, "arguments": WORDS | st.just('{"q":"a"}')}
        ),
    },
)
PARTS = st.lists(st.fixed_dictionaries({"type": st.sampled_from(["text", "file"]), "text": WORDS}))
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool", "critic"]),
        "content": WORDS | WORDS | PARTS | st.none() | st.just(7),
    },
    optional={
        "tool_calls": st.lists(CALL, max_size=3) | st.none(),
        "tool_call_id": st.sampled_from(["c1", "c2"]),
    },
)
TALK = st.lists(MESSAGE, min_size=1, max_size=3).map(json.dumps)
TEXT = TALK | TALK | WORDS | st.sampled_from(["", "[]"])


AGENTS = st.lists(IDS, unique=True, min_size=1, max_size=3)
NO_AGENT = st.just(list[str]())


@st.composite
def documents(draw: DrawFn) -> Json:
    """Draw runs whose agents and steps have any owner: each other, themselves, or none."""

    def step(step_id: str, kind: str) -> Json:
        info = {
            "started_at": str(draw(st.integers(0, 5))),
            "duration": str(draw(st.integers(0, 5))),
        }
        texts = {"name": draw(WORDS), "input": draw(TEXT), "output": draw(TEXT)}
        return {"id": step_id, "type": kind, **texts, "metadata": {}, "basic_info": info}

    kinds = st.sampled_from(["model", "model", "tool", "agent", "graph"])
    said: set[str] = set()  # a repeated step has messages only once

    def kind(step_id: str) -> str:
        found = "graph" if step_id in said else draw(kinds)
        said.add(step_id)
        return found

    agents = [
        {
            **step(agent_id, "agent"),
            "parent_id": draw(IDS | st.just("")),
            "steps": [
                step(i, kind(i)) for i in draw(st.lists(IDS, unique=True, min_size=1, max_size=5))
            ],
        }
        for agent_id in draw(NO_AGENT | AGENTS | AGENTS)
    ]
    return {"id": "5" * 32, "root_step": step(ROOT, "agent"), "agent_steps": agents}


def places_in(document: Json) -> Iterator[tuple[str, str, str, str]]:
    """Yield step id, field, path and text of each text in the messages of model steps."""
    for agent in document["agent_steps"]:
        for step in agent["steps"]:
            for field in ("input", "output"):
                if step["type"] == "model" and step[field].startswith("["):
                    for at, message in enumerate(json.loads(step[field])):
                        if isinstance(text := message.get("content"), str):
                            yield step["id"], field, f"{at}.content", text


@st.composite
def assessments(draw: DrawFn, document: Json) -> Assessment:
    """Draw an assessment of a step, or of a passage in its texts."""
    author = draw(st.sampled_from(["ada", "bo"]))
    facts = {"correctness": "incorrect"}
    places = list(places_in(document))
    if not places or draw(st.booleans()):
        return Assessment(draw(IDS | st.just("")), "s", author, facts)
    step_id, field, part, text = draw(st.sampled_from(places))
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in (start, end)]
    place = Place(field, part, units[0], units[1], text[start:end])
    return Assessment(step_id, "s", author, facts, place)


@st.composite
def assessed(draw: DrawFn) -> tuple[Json, list[Assessment]]:
    document = draw(documents())
    return document, draw(st.lists(assessments(document), max_size=5))


@given(assessed())
def test_invariant(run: tuple[Json, list[Assessment]]) -> None:
    document, said = run
    lines = list(invariant_lines(document, said))
    written = Counter[str]()
    for line in lines:
        check_messages(line["messages"])
        beside = line["metadata"].get("assessments", [])
        written.update(
            one["extra_metadata"]["annotator"] for one in [*line["annotations"], *beside]
        )
        for one in line["annotations"]:
            there = at_address(line, one["address"])
            if ":" in one["address"] and f"“{there}”" not in one["content"]:
                raise AssertionError((one, there))
    assert written == Counter(one.annotator for one in said)


@given(assessed())
def test_snorkel(run: tuple[Json, list[Assessment]]) -> None:
    document, said = run
    trace = snorkel_trace(document, said)
    check_snorkel(trace)
    ids = [node["metadata"]["step_id"] for node in nodes_of(trace)]
    steps = [step["id"] for agent in document["agent_steps"] for step in (agent, *agent["steps"])]
    assert sorted(ids) == sorted({ROOT, *steps})
    marked = {
        (key.split("/")[1], node["metadata"]["step_id"])
        for node in nodes_of(trace)
        for key in node["metadata"]
        if key.endswith("/correctness")
    }
    wanted = {(one.annotator, one.step_id or ROOT) for one in said if one.place is None}
    assert marked == {one for one in wanted if one[1] in ids}
