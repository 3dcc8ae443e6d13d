"""The canonical document has the promised fields, follows its schema, and has only one form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.examples import examples

from spanloom.core.formats import canonical, json_bytes
from spanloom.core.formats.canonical import encode_document, encode_spans, without_version
from spanloom.core.formats.schema import canonical_example, canonical_schema
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import Status, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from io import BytesIO


def decode(trajectory: Trajectory) -> Any:
    return orjson.loads(encode_document(trajectory, 3, Status.SETTLED))


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_long_document_is_written_in_pieces_to_the_same_bytes(
    trajectory: Trajectory, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    agent = trajectory.agent_steps[0]
    odd = agent.steps[0]._replace(input="half a pair \ud800", output="退款")
    steps = [*agent.steps, odd, *agent.steps, *agent.steps]
    agents = [agent, agent._replace(steps=steps), agent._replace(steps=[])]
    long = replace(trajectory, agent_steps=agents, verdicts=[*trajectory.verdicts] * 3)
    whole = encode_document(long, 3, Status.SETTLED), encode_spans(long)
    monkeypatch.setattr(canonical, "AT_ONCE", at_once)
    monkeypatch.setattr(json_bytes, "AT_ONCE", at_once)
    assert (encode_document(long, 3, Status.SETTLED), encode_spans(long)) == whole


JSON_TEXT = '[{"role":"user","content":"' + 200 * "word " + '"}]'
TEXTS = {
    "texts of one size": [JSON_TEXT],
    "two kinds": [JSON_TEXT, ""],
    "some Chinese": ["short", "", 500 * "\u5b57"],
    "long Chinese": [30_000 * "\u5b57"],
}


@pytest.mark.parametrize("agents", [1, 30])
@pytest.mark.parametrize("longest", [0, 5_000_000])
@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)
def test_the_memory_of_a_long_document_is_allocated_at_once(
    trajectory: Trajectory,
    monkeypatch: pytest.MonkeyPatch,
    texts: Sequence[str],
    longest: int,
    agents: int,
) -> None:
    """A buffer that grew in chunks would leave holes of the document's size in the heap."""
    agent = trajectory.agent_steps[0]
    model, *_ = (step for step in agent.steps if step.type is StepType.MODEL)
    metadata = {f"key_{n}": "value" for n in range(20)}
    steps = [model._replace(input=texts[at % len(texts)], metadata=metadata) for at in range(1_200)]
    steps[0] = steps[0]._replace(output=longest * "x")
    each = [agent._replace(steps=steps[at::agents]) for at in range(agents)]
    verdicts = [verdict for _ in range(1_500) for verdict in trajectory.verdicts]
    long = replace(trajectory, agent_steps=each, verdicts=verdicts)
    reserved: list[int] = []

    def note(file: BytesIO, size: int) -> None:
        reserved.append(size)
        reserve(file, size)

    reserve = json_bytes.reserve
    for module in (canonical, json_bytes):
        monkeypatch.setattr(module, "reserve", note)
    written = encode_document(long, 1, Status.SETTLED), encode_spans(long)
    for module in (canonical, json_bytes):
        monkeypatch.setattr(module, "AT_ONCE", 10**6)
    assert written == (encode_document(long, 1, Status.SETTLED), encode_spans(long))
    for part, size in zip(written, reserved, strict=True):
        assert len(part) <= size <= 1.15 * len(part)


def test_times_are_strings_of_whole_milliseconds(trajectory: Trajectory) -> None:
    agent = decode(trajectory)["agent_steps"][0]
    assert agent["basic_info"] == {"started_at": "1715400000000", "duration": "4400"}
    assert agent["metrics_info"]["llm_duration"] == "400"


def test_an_end_before_the_start_lasts_nothing(trajectory: Trajectory) -> None:
    tool = decode(trajectory)["agent_steps"][0]["steps"][1]
    assert tool["basic_info"]["duration"] == "0"


def test_a_model_step_has_exactly_the_fields_of_the_seed(trajectory: Trajectory) -> None:
    model, tool = decode(trajectory)["agent_steps"][0]["steps"]
    assert model["model_info"] == {
        "input_tokens": 100,
        "output_tokens": 50,
        "latency_first_resp": "180",
        "reasoning_tokens": 20,
        "input_read_cached_tokens": 10,
        "input_creation_cached_tokens": 5,
    }
    assert model["metadata"] == {"b": "2", "model": "gpt-4o-mini", "z": "1"}
    assert "model_info" not in tool


def test_an_unseen_first_token_is_left_out_and_missing_usage_is_zero(
    trajectory: Trajectory,
) -> None:
    agent = trajectory.agent_steps[0]
    bare = agent.steps[0]._replace(usage=None, first_token_ms=None)
    changed = replace(trajectory, agent_steps=[agent._replace(steps=[bare])])
    info = decode(changed)["agent_steps"][0]["steps"][0]["model_info"]
    assert "latency_first_resp" not in info
    assert set(info.values()) == {0}


def test_an_error_is_there_only_when_there_is_one(trajectory: Trajectory) -> None:
    model, tool = decode(trajectory)["agent_steps"][0]["steps"]
    assert "error" not in model["basic_info"]
    assert tool["basic_info"]["error"] == {"code": 429, "msg": "slow down"}


def test_extraction_keeps_what_is_promised_and_adds_the_extras(trajectory: Trajectory) -> None:
    assert decode(trajectory)["extraction"] == {
        "version": 3,
        "status": "settled",
        "extractor_version": "1",
        "project": "default",
        "span_count": 4,
        "step_counts": {"agent": 1, "model": 1, "tool": 1, "graph": 1, "other": 0},
        "root_type": "graph",
        "dialects": ["openinference"],
        "warnings": ["two roots"],
        "outcome": "recovered",
        "failures": 1,
        "errors": [
            {
                "code": -1,
                "msg": "'city'",
                "type": "KeyError",
                "where": "n",
                "step_id": "r",
                "recovered": True,
                "traceback": "Traceback",
            }
        ],
        "duplicate_of": {"trace_id": "f" * 32, "span_id": "a" * 16},
        "wall_ms": {"agent": 2, "model": 1},
    }


def test_an_original_has_no_duplicate_of_whatever_the_extras_say(trajectory: Trajectory) -> None:
    original = replace(trajectory, duplicate_of=None, extras={"duplicate_of": "x"})
    assert "duplicate_of" not in decode(original)["extraction"]


def test_spans_say_what_became_of_each(trajectory: Trajectory) -> None:
    root, noise = orjson.loads(encode_spans(trajectory))
    assert root == {
        "span_id": "r",
        "parent_span_id": None,
        "name": "team",
        "kind": "graph",
        "step_id": "r",
        "dialect": "oi",
        "rule": "graph.name",
        "started_at": "1715400000000",
        "duration": "1000",
        "error": None,
    }
    assert noise["error"] == "KeyError: 'city'"
    assert noise["step_id"] is None
    assert noise["duration"] == "0"


def test_the_example_follows_the_published_schema(coze_loop_schema: dict[str, Any]) -> None:
    jsonschema.Draft7Validator.check_schema(canonical_schema())
    jsonschema.validate(canonical_example(), canonical_schema())
    jsonschema.validate(canonical_example(), coze_loop_schema)


def test_text_that_utf8_cannot_hold_is_written_all_the_same(trajectory: Trajectory) -> None:
    odd = replace(trajectory, warnings=["half \ud83d pair"], extras={"big": 2**70, "nan": [0.5]})
    extraction = decode(odd)["extraction"]
    assert extraction["warnings"] == ["half \ufffd pair"]
    assert extraction["big"] == 2**64 - 1
    assert extraction["nan"] == [0.5]


@given(data=st.data())
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_every_document_follows_both_schemas(
    any_trajectory: st.SearchStrategy[Trajectory],
    coze_loop_schema: dict[str, Any],
    data: st.DataObject,
) -> None:
    document = decode(data.draw(any_trajectory))
    jsonschema.validate(document, canonical_schema(), jsonschema.Draft7Validator)
    jsonschema.validate(document, coze_loop_schema, jsonschema.Draft7Validator)


@given(data=st.data())
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_equal_trajectories_give_equal_bytes(
    any_trajectory: st.SearchStrategy[Trajectory],
    reordered: Callable[[Trajectory], Trajectory],
    data: st.DataObject,
) -> None:
    first = data.draw(any_trajectory)
    second = reordered(first)
    assert first == second
    assert encode_document(first, 1, Status.LIVE) == encode_document(second, 1, Status.LIVE)
    assert encode_spans(first) == encode_spans(second)


@given(data=st.data(), version=st.integers(1, 2**40))
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_a_version_can_be_set_afterwards(
    any_trajectory: st.SearchStrategy[Trajectory], version: int, data: st.DataObject
) -> None:
    trajectory = data.draw(any_trajectory)
    first = encode_document(trajectory, 1, Status.LIVE)
    later = encode_document(trajectory, version, Status.LIVE)
    assert without_version(first) == without_version(later)
    assert str(version).encode().join(without_version(first)) == later


def test_what_looks_like_the_version_elsewhere_is_left_alone(trajectory: Trajectory) -> None:
    decoy = '"extraction":{"version":0,'
    root = trajectory.root._replace(name=decoy, metadata={decoy: decoy, "version": "0"})
    hostile = replace(trajectory, root=root, project=decoy, extras={"z": {"version": 0, "a": 1}})
    first = encode_document(hostile, 1, Status.LIVE)
    assert b"9".join(without_version(first)) == encode_document(hostile, 9, Status.LIVE)
