"""Reading documents back, in both forms that Coze Loop published."""

from __future__ import annotations

from typing import Any

import jsonschema
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.reading import read_document
from spanloom.core.model.trajectory import Status, Trajectory


def test_the_canonical_form_comes_back_as_it_is(trajectory: Trajectory) -> None:
    body = encode_document(trajectory, 1, Status.SETTLED)
    assert orjson.dumps(read_document(body)) == body


def test_the_form_of_the_example_becomes_canonical(
    coze_loop_example: dict[str, Any], coze_loop_schema: dict[str, Any]
) -> None:
    document = read_document(orjson.dumps(coze_loop_example))
    jsonschema.validate(document, coze_loop_schema)
    assert "agent_steps" not in document["root_step"]
    assert [a["name"] for a in document["agent_steps"]] == ["TravelPlannerAgent"]
    assert len(document["agent_steps"][0]["steps"]) == 5
    assert read_document(orjson.dumps(document)) == document


def test_agent_steps_beside_the_root_count_where_there_are_both() -> None:
    body = b'{"id":"t","root_step":{"agent_steps":[{"id":"in"}]},"agent_steps":[{"id":"beside"}]}'
    assert read_document(body)["agent_steps"] == [{"id": "beside"}]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"[]", "the document: an object is needed here, not a list"),
        (b'{"root_step":{}}', "id: a trajectory needs its trace id"),
        (b'{"id":"t","root_step":null}', "root_step: an object is needed here, not null"),
        (b'{"id":"t","agent_steps":{}}', "agent_steps: a list is needed here, not an object"),
        (b'{"id":"t","agent_steps":[1]}', r"agent_steps\[0\]: an object is needed here, not a num"),
        (b'{"id":"t","agent_steps":[{"steps":[""]}]}', r"agent_steps\[0\].steps\[0\]: an object"),
    ],
)
def test_what_is_no_trajectory_is_refused_with_the_place(body: bytes, said: str) -> None:
    with pytest.raises(InvalidRequestError, match=said):
        read_document(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "root_step", "agent_steps", "steps"]), inner, max_size=4
        )
    ),
)


@given(st.binary(max_size=50) | json_values.map(orjson.dumps))
def test_any_input_is_read_or_refused(body: bytes) -> None:
    try:
        document = read_document(body)
    except InvalidRequestError:
        return
    assert all(isinstance(a.get("steps", []), list) for a in document["agent_steps"])
