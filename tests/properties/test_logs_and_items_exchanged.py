"""Any run is written as a log, an item or a row, and similar JSON is read or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_assessed_runs import MESSAGE, documents
from tests.properties.test_messages_exchanged import PLAIN, WORDS, extracted
from tests.support.exchanged import read_all, values_in, write

from spanloom.client.transfer.documents import read_run
from spanloom.core.formats.losses import NotHeldError
from spanloom.core.formats.readers import Refused, Taken

if TYPE_CHECKING:
    Json = dict[str, Any]

WRITTEN = ("databricks", "inspect", "invariant", "mlflow", "mlflow-eval", "potato")
STAYING = ("inspect", "potato")
KEYS = st.sampled_from(
    [
        *("id", "uuid", "metadata", "spanloom", "step_id", "parent_id", "type", "name", "error"),
        *("message", "choices", "usage", "completion", "content", "role", "value", "target"),
        *("parts", "text", "args", "response", "agent", "observation", "input", "output", "model"),
    ]
)
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)
TIMES = st.sampled_from(["2026-01-05T10:00:00+00:00", "2026-01-05", "x", "9999-12-31T23:59:59Z"])


def some(**members: Any) -> st.SearchStrategy[Json]:
    """Return a strategy for objects with any subset of the members."""
    return st.fixed_dictionaries({}, optional=members)


def lists(item: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(item | ANY, max_size=3) | ANY


OUTPUT = some(choices=lists(some(message=MESSAGE, stop_reason=ANY)), usage=ANY, completion=WORDS)
EVENT = st.fixed_dictionaries(
    {"event": st.sampled_from(["model", "tool", "span_begin", "span_end", "info"])},
    optional={
        **dict.fromkeys(("id", "uuid", "span_id", "parent_id", "name", "model"), WORDS | ANY),
        **dict.fromkeys(("timestamp", "completed"), TIMES | ANY),
        "type": st.sampled_from(["agent", "solver"]),
        "input": lists(MESSAGE),
        "output": OUTPUT | ANY,
        "metadata": some(spanloom=ANY) | ANY,
        "error": some(message=WORDS) | ANY,
        "working_time": st.floats(allow_nan=False) | ANY,
        "arguments": ANY,
        "result": ANY,
    },
)
SCORE = some(value=ANY, answer=WORDS, explanation=ANY, metadata=some(spanloom=ANY) | ANY)
SAMPLE = some(
    id=ANY,
    epoch=st.integers() | ANY,
    uuid=ANY,
    input=WORDS | lists(MESSAGE),
    messages=lists(MESSAGE),
    events=lists(EVENT),
    output=OUTPUT | ANY,
    scores=st.dictionaries(WORDS, SCORE | ANY, max_size=2) | ANY,
    metadata=some(spanloom=ANY) | ANY,
    target=ANY,
    error=ANY,
    started_at=TIMES | ANY,
    completed_at=TIMES | ANY,
)
ACTION = some(
    action=st.sampled_from(["search('Oslo')", "Oslo."]) | ANY,
    thought=ANY,
    step_id=st.sampled_from(["a" * 16, ""]) | ANY,
    type=st.sampled_from(["tool", "model", "agent", "graph"]) | ANY,
    agent=WORDS | ANY,
    observation=ANY,
)
CONTENT = some(parts=lists(some(text=ANY))) | ANY
BETWEEN = some(
    tool_uses=lists(some(name=ANY, args=ANY, id=ANY)),
    tool_responses=lists(some(name=ANY, response=ANY, id=ANY)),
)
TURN = some(user_content=CONTENT, final_response=CONTENT, intermediate_data=BETWEEN | ANY)
VALUES = {
    "inspect": some(eval=ANY | some(task=ANY, model=ANY, eval_id=ANY), samples=lists(SAMPLE)),
    "potato": some(id=ANY, task_description=ANY, steps=lists(ACTION), note=ANY),
    "adk": some(
        eval_set_id=ANY,
        eval_cases=lists(some(eval_id=ANY, conversation=lists(TURN), session_input=ANY)),
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
@given(st.data())
def test_any_document_is_written_or_not_held(name: str, data: st.DataObject) -> None:
    try:
        body = write(name, data.draw(documents()))
    except NotHeldError:
        return
    for value in values_in(name, body):
        assert read_all(name, *(value if name == "invariant" else [value]))


@pytest.mark.parametrize("name", STAYING)
@given(st.data())
def test_a_run_that_is_written_comes_back_as_it_is_written(name: str, data: st.DataObject) -> None:
    body = write(name, data.draw(extracted()))
    (taken,) = read_all(name, *values_in(name, body))
    assert isinstance(taken, Taken), taken
    again = write(name, taken.document)
    assert values_in(name, write(name, reread(name, again))) == values_in(name, again)
    read_run(taken.document, None)


def reread(name: str, body: bytes) -> Json:
    (taken,) = read_all(name, *values_in(name, body))
    assert isinstance(taken, Taken), taken
    return taken.document


@pytest.mark.parametrize("name", VALUES)
@given(st.data())
def test_any_json_is_taken_or_refused(name: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[name] | ANY, min_size=1, max_size=2))
    for found in read_all(name, *values):
        assert found.place.startswith("line ")
        if isinstance(found, Refused):
            assert found.reason
        else:
            read_run(found.document, None)
            write("canonical", found.document)
