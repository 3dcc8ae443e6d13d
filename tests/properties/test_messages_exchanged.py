"""Messages and ATIF: any run is written and comes back the same; any JSON is read or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_assessed_runs import MESSAGE, TEXT, documents
from tests.support.exchanged import read_all, values_in, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.formats.losses import NotHeldError
from spanloom.core.formats.readers import Refused, Taken
from spanloom.core.model.step import StepError
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    Json = dict[str, Any]

FORMATS = ("openai", "chat", "langsmith", "sts", "atif")
WORDS = st.sampled_from(["", "hi", "中😀", "[1]", '{"role": "user"}', "agent", "c1", "ATIF-v1.8"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS
KEYS = st.sampled_from(
    [
        *("role", "content", "messages", "inputs", "outputs", "metadata", "type", "message"),
        *("source", "tool_calls", "observation", "results", "extra", "metrics", "agent", "name"),
        *("function", "arguments", "source_call_id", "tool_call_id", "timestamp", "steps", "id"),
    ]
)
ANY = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
"""Small values, because a run has dozens of them and Hypothesis discards large examples."""


@st.composite
def trajectories(draw: st.DrawFn) -> Json:
    """Draw ATIF trajectories in which any value may have a wrong type."""
    call = st.fixed_dictionaries(
        {"tool_call_id": WORDS}, optional={"function_name": WORDS, "arguments": ANY}
    )
    reference = st.fixed_dictionaries({"trajectory_id": st.sampled_from(["t1", "t2", "a" * 16])})
    result = st.fixed_dictionaries(
        {},
        optional={
            "source_call_id": WORDS,
            "content": WORDS | ANY,
            "extra": ANY,
            "subagent_trajectory_ref": st.lists(reference, max_size=2) | ANY,
        },
    )
    observation = st.fixed_dictionaries({"results": st.lists(result, max_size=3)})
    step = st.fixed_dictionaries(
        {"source": st.sampled_from(["agent", "agent", "user", "system"])},
        optional={
            "message": WORDS | ANY,
            "timestamp": st.sampled_from(["2024-05-11T04:00:00Z", "9999-12-31T23:59:59Z", "x"]),
            "tool_calls": st.lists(call, max_size=3),
            "observation": observation | ANY,
            "metrics": ANY,
            "llm_call_count": st.sampled_from([0, 1]),
            "is_copied_context": st.booleans(),
            "extra": ANY,
        },
    )

    def body(agent_id: str) -> Json:
        steps = draw(st.lists(step, min_size=1, max_size=4))
        about = {"name": draw(WORDS), "version": "1"}
        version = {"schema_version": "ATIF-v1.8", "session_id": "s"}
        return {**version, "trajectory_id": agent_id, "agent": about, "steps": steps}

    return {**body("root"), "subagent_trajectories": [body("t1"), body("a" * 16)]}


ROWS = st.lists(MESSAGE | ANY, max_size=4)
VALUES = {
    "openai": ROWS | ANY,
    "chat": st.fixed_dictionaries({"messages": ROWS}, optional={"metadata": ANY, "tools": ANY}),
    "langsmith": st.fixed_dictionaries(
        {"inputs": st.fixed_dictionaries({"messages": ROWS}) | ANY},
        optional={"outputs": ANY, "metadata": ANY, "id": ANY, "split": ANY},
    ),
    "sts": st.fixed_dictionaries(
        {"type": st.sampled_from(["session", "message", "message"])},
        optional={"id": WORDS, "message": MESSAGE | ANY, "name": WORDS},
    ),
    "atif": trajectories(),
}


@st.composite
def extracted(draw: st.DrawFn) -> Json:
    """Draw documents of runs with any steps, as the store has them."""
    kinds = st.sampled_from(["agent", "model", "model", "tool", "tool", "graph"])
    steps: list[DraftStep] = []
    begun = draw(st.sampled_from([0, 10**12]))  # times are unknown, or all known
    for number in range(1, draw(st.integers(2, 9))):
        kind = Kind(draw(kinds)) if steps else Kind.AGENT
        parent = draw(st.sampled_from(steps)).id if steps else ""
        metadata = st.fixed_dictionaries({}, optional={"tool_call_id": st.sampled_from(CALL_IDS)})
        step = DraftStep(f"{number:016x}", parent, kind, draw(WORDS) or "x")
        step.input, step.output = draw(TEXT), draw(TEXT)
        if begun:
            step.start_ms, step.duration_ms = (
                begun + draw(st.integers(0, 3)),
                draw(st.integers(0, 3)),
            )
        step.metadata = draw(metadata) if kind is Kind.TOOL else {}
        step.error = draw(st.none() | st.just(StepError(503, "down")))
        step.model = draw(WORDS) if kind is Kind.MODEL else ""
        steps.append(step)
    return complete(Draft("5" * 32, "default", "made", steps))


CALL_IDS = ["c1", "c2", "0000000000000003"]


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
def test_any_document_is_written_or_not_held(name: str, data: st.DataObject) -> None:
    document = data.draw(documents())
    try:
        body = write(name, document)
    except NotHeldError:
        return
    assert read_all(name, *values_in(name, body))


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
def test_a_run_that_is_written_comes_back_as_it_is_written(name: str, data: st.DataObject) -> None:
    document = data.draw(extracted())
    try:
        body = write(name, document)
    except NotHeldError:
        return
    (taken,) = read_all(name, *values_in(name, body))
    assert isinstance(taken, Taken), taken
    assert values_in(name, write(name, taken.document)) == values_in(name, body)
    assert isinstance(read_run(taken.document, None).trace_id, str)


@pytest.mark.parametrize("name", FORMATS)
@given(st.data())
def test_any_json_is_taken_or_refused(name: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[name] | ANY, max_size=1 if name == "atif" else 3))
    for found in read_all(name, *values):
        assert found.place.startswith("line ")
        if isinstance(found, Refused):
            assert found.reason
        else:
            write(name, found.document)
