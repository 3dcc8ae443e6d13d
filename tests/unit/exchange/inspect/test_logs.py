"""Runs are written as Inspect evaluation logs, and logs of other programs are read as runs."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import orjson
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.drafted import planner
from tests.support.examples import examples
from tests.support.exchange_validators.inspect import check

from spanloom.client.transfer import eval_file
from spanloom.client.transfer.eval_file import read_eval
from spanloom.client.transfer.parts import UnreadableFileError
from spanloom.core.exchange.files import Layout
from spanloom.core.exchange.inspect.file import add_to_log, end_of_log
from spanloom.core.exchange.inspect.reading import INSPECT
from spanloom.core.exchange.inspect.writing import write_log
from spanloom.core.formats.entry import Filed
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, Loss, Losses
from spanloom.core.formats.readers import Located, Reading, Refused, Taken
from spanloom.core.formats.stored import Stored

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = {"created": "2026-01-05T10:00:00+00:00", "task": "trips", "model": "openai/gpt-4o-mini"}
ASKED = {"role": "user", "content": "Oslo or Bergen?"}
CALL = {"id": "c1", "function": "weather", "arguments": {"city": "Oslo"}, "type": "function"}
RESULT = {"role": "tool", "content": "dry", "tool_call_id": "c1", "function": "weather"}
ANSWERS = [
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    RESULT,
    {"role": "assistant", "content": "Oslo."},
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["events", "messages", "event", "id", "span_id", "output", "role", "usage"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def read(*logs: Any) -> list[Taken | Refused]:
    values = (Located(f"line {n}", log) for n, log in enumerate(logs, 1))
    return list(INSPECT.read(values, Reading("inspect", "trips")))


def taken(*logs: Any) -> list[Taken]:
    found = read(*logs)
    assert all(isinstance(one, Taken) for one in found), found
    return [one for one in found if isinstance(one, Taken)]


def sample(**members: Any) -> dict[str, Any]:
    return {"id": 1, "epoch": 1, "input": "Oslo or Bergen?", "target": "Oslo", **members}


def log_of(*samples: Any, **members: Any) -> dict[str, Any]:
    return {
        "version": 2,
        "eval": {**ABOUT, "dataset": {}, "config": {}},
        "samples": [*samples],
    } | members


def write(document: dict[str, Any]) -> dict[str, Any]:
    body = write_log(Stored(dump(document)), Losses())
    check(body)
    log: dict[str, Any] = orjson.loads(body)
    return log


def steps_of(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (step["type"], step["name"], step["output"])
        for agent in document["agent_steps"]
        for step in agent["steps"]
    ]


def test_a_run_is_a_sample_with_its_steps_as_events() -> None:
    log = write(planner())
    (sample_,) = log["samples"]
    assert (sample_["id"], sample_["input"]) == (planner()["id"], "Oslo or Bergen?")
    events = [
        (event["event"], event.get("name") or event.get("function")) for event in sample_["events"]
    ]
    assert events == [
        ("span_begin", "planner"),
        ("model", None),
        ("tool", "weather"),
        ("tool", "weather"),
        ("span_begin", "critic"),
        ("model", None),
        ("span_end", None),
        ("model", None),
        ("span_end", None),
    ]
    failed = sample_["events"][3]
    assert (failed["error"]["message"], failed["failed"]) == ("down", True)
    assert sample_["model_usage"]["gpt-4o-mini"] == {
        "input_tokens": 110,
        "output_tokens": 27,
        "total_tokens": 177,
        "input_tokens_cache_write": 0,
        "input_tokens_cache_read": 40,
        "reasoning_tokens": 5,
    }
    assert [one["role"] for one in sample_["messages"]] == [
        *("user", "assistant", "tool", "tool", "assistant")
    ]


def test_what_a_message_loses_is_counted_once() -> None:
    """The loss counts once, though the message is in an event, the conversation and the output."""
    document = planner()
    (last,) = [s for s in document["agent_steps"][0]["steps"] if s["id"] == "a000000000000007"]
    call = {"type": "function", "function": {"name": "f", "arguments": "no object"}}
    last["output"] = dump([{"role": "assistant", "content": "", "tool_calls": [call]}]).decode()
    losses = Losses()
    write_log(Stored(dump(document)), losses)
    assert losses.counts[Code.ARGS_NOT_OBJECT] == losses.counts[Code.CALL_ID_MADE] == 1


def test_our_own_log_gives_the_run_back() -> None:
    (found,) = taken(write(planner()))
    for name in ("id", "root_step", "agent_steps"):
        assert found.document[name] == planner()[name]
    assert found.losses.counts == {}


def test_a_conversation_alone_becomes_steps() -> None:
    log = log_of(sample(messages=[ASKED, *ANSWERS], output={"completion": "Oslo."}))
    (found,) = taken(log)
    (agent,) = found.document["agent_steps"]
    assert (agent["name"], agent["output"]) == ("trips", "Oslo.")
    assert [step["type"] for step in agent["steps"]] == ["model", "tool", "model"]
    assert agent["steps"][1]["input"] == '{"city":"Oslo"}'
    assert found.losses.counts[Code.DURATION_UNKNOWN] > 0
    assert found.document["extraction"]["project"] == "trips"


def test_failures_of_tools_and_the_target_are_kept() -> None:
    failed = {**RESULT, "content": "", "error": {"type": "timeout", "message": "too slow"}}
    (found,) = taken(log_of(sample(messages=[ASKED, ANSWERS[0], failed, ANSWERS[2]])))
    tool = found.document["agent_steps"][0]["steps"][1]
    assert tool["basic_info"]["error"]["msg"] == "too slow"
    assert found.document["extraction"]["metadata"]["target"] == "Oslo"
    (again,) = orjson.loads(write_log(Stored(orjson.dumps(found.document)), Losses()))["samples"]
    assert again["target"] == "Oslo"


def test_words_of_a_failure_beside_a_content_are_counted() -> None:
    failed = {**RESULT, "error": {"type": "timeout", "message": "too slow"}}
    (found,) = taken(log_of(sample(messages=[ASKED, ANSWERS[0], failed])))
    assert (
        Loss("", "messages.2.error", Code.METADATA_DROPPED)._replace(trace_id=found.losses.trace_id)
        in found.losses.listed
    )


def test_an_event_without_a_time_begins_with_the_one_before() -> None:
    began = {"event": "model", "model": "m", "timestamp": "2026-01-05T10:00:00+00:00"}
    events = [{**began, "working_time": 1.0}, {"event": "tool", "timestamp": "yesterday"}]
    (found,) = taken(log_of(sample(events=[*events, {"event": "info", "data": 1}])))
    steps = found.document["agent_steps"][0]["steps"]
    assert len({step["basic_info"]["started_at"] for step in steps}) == 1
    lost = {(loss.path, loss.code) for loss in found.losses.listed}
    assert ("events.1.timestamp", Code.DURATION_UNKNOWN) in lost
    assert ("events.1.completed", Code.DURATION_UNKNOWN) in lost
    assert ("events.2", Code.METADATA_DROPPED) in lost


EVENTS: list[dict[str, Any]] = [
    {"event": "sample_init", "timestamp": "2026-01-05T10:00:00+00:00"},
    {"event": "span_begin", "id": "s0", "name": "solvers", "timestamp": "2026-01-05T10:00:00Z"},
    {
        "event": "span_begin",
        "id": "s1",
        "parent_id": "s0",
        "type": "agent",
        "name": "react",
        "timestamp": "2026-01-05T10:00:00.100Z",
    },
    {
        "event": "model",
        "span_id": "s1",
        "model": "openai/gpt-4o-mini",
        "input": [ASKED],
        "timestamp": "2026-01-05T10:00:00.200Z",
        "completed": "2026-01-05T10:00:01.200Z",
        "output": {
            "model": "gpt-4o-mini-2024",
            "choices": [{"message": ANSWERS[0], "stop_reason": "tool_calls"}],
            "usage": {"input_tokens": 5, "output_tokens": 2, "input_tokens_cache_read": 3},
        },
    },
    {
        "event": "tool",
        "span_id": "s1",
        "id": "c1",
        "function": "weather",
        "timestamp": "2026-01-05T10:00:01.300Z",
        "working_time": 0.5,
        "arguments": {"city": "Oslo"},
        "result": "",
        "error": {"type": "timeout", "message": "too slow"},
    },
    {"event": "span_end", "id": "s1", "timestamp": "2026-01-05T10:00:02Z"},
    {"event": "span_end", "id": "s0", "timestamp": "2026-01-05T10:00:02Z"},
]


def test_events_of_others_become_agents_calls_and_tools() -> None:
    (found,) = taken(log_of(sample(events=EVENTS)))
    assert found.document["root_step"]["name"] == "react"
    (agent,) = found.document["agent_steps"]
    model, tool = agent["steps"]
    assert model["model_info"]["input_tokens"] == 8
    assert model["metadata"] == {"model": "gpt-4o-mini-2024"}
    assert (model["basic_info"]["duration"], agent["basic_info"]["duration"]) == ("1000", "1900")
    assert tool["basic_info"]["error"] == {"code": -1, "msg": "too slow"}
    assert tool["basic_info"]["duration"] == "500"
    assert found.document["extraction"]["outcome"] == "failed"


def test_texts_and_messages_that_are_kept_apart_are_put_back() -> None:
    pooled = {k: v for k, v in EVENTS[3].items() if k != "input"}
    events = [*EVENTS[:3], {**pooled, "input": [], "input_refs": [[0, 1]]}]
    data = {"messages": [{"role": "user", "content": "attachment://abc"}], "calls": []}
    whole = sample(events=events, events_data=data, attachments={"abc": "Oslo or Bergen?"})
    (found,) = taken(log_of(whole))
    assert found.document["agent_steps"][0]["steps"][0]["input"] == (
        '[{"role":"user","content":"Oslo or Bergen?"}]'
    )


def test_texts_that_are_put_back_again_and_again_are_refused() -> None:
    tool = {**EVENTS[4], "result": "attachment://a"}
    bomb = sample(events=[tool] * 100, attachments={"a": "x" * (1 << 20)})
    refused, kept = read(log_of(bomb, sample(id=2, messages=[ASKED, *ANSWERS])))
    assert isinstance(refused, Refused)
    assert "characters" in refused.reason
    assert isinstance(kept, Taken)


def test_a_sample_that_is_too_deep_keeps_no_other_away() -> None:
    """A sample can be parsed although it is nested too deeply to be written as JSON again."""
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    tool = {**EVENTS[4], "arguments": {"city": deep}}
    refused, kept = read(log_of(sample(events=[tool]), sample(id=2, messages=[ASKED, *ANSWERS])))
    assert refused == Refused("line 1: sample 1", "it is nested too deeply")
    assert isinstance(kept, Taken)


def test_a_sample_that_is_none_keeps_no_other_away() -> None:
    good = sample(messages=[ASKED, *ANSWERS])
    found = read(
        log_of(None, good, sample(id=2, messages=[])), {"eval": {}, "samples": {}}, log_of(good)
    )
    assert [one.place for one in found if isinstance(one, Refused)] == [
        *("line 1: sample 1", "line 1: sample 3", "line 2")
    ]
    assert [one.place for one in found if isinstance(one, Taken)] == ["line 1: sample 2", "line 3"]


def test_the_same_sample_has_the_same_ids() -> None:
    log = log_of(sample(events=EVENTS))
    first, second = (taken(log)[0].document for _ in range(2))
    assert first == second
    other = taken(log_of(sample(events=EVENTS, epoch=2)))[0].document
    assert other["id"] != first["id"]


def test_many_runs_are_one_log() -> None:
    one = dump(write(planner()))
    first, items = add_to_log(one, 0)
    second, items = add_to_log(one, items)
    log = orjson.loads(first + second + end_of_log(items))
    layout = Layout(Filed.LOG, 1)  # an export that resumes
    assert layout.add(one) + layout.end == second + end_of_log(items)
    assert (len(log["samples"]), log["results"]["total_samples"]) == (2, 2)
    assert orjson.loads(end_of_log(0))["samples"] == []


def packed(files: dict[str, bytes], method: int) -> bytes:
    """Return a ZIP of the files; method 93 is Zstandard, which Inspect uses."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, zstandard.compress(content) if method == 93 else content)
    text = target.getvalue()
    if method != 93:
        return text
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        begin = text.find(mark)
        while begin >= 0:
            text = text[: begin + place] + struct.pack("<H", 93) + text[begin + place + 2 :]
            begin = text.find(mark, begin + 4)
    return text


HEADER = orjson.dumps({"version": 2, "eval": {**ABOUT, "dataset": {}, "config": {}}})
GOOD = orjson.dumps(sample(messages=[ASKED, *ANSWERS]))


@pytest.mark.parametrize("method", [0, 93])
def test_a_packed_log_is_read_sample_by_sample(tmp_path: Path, method: int) -> None:
    path = tmp_path / "log.eval"
    names = {"header.json": HEADER, "samples/1_epoch_1.json": GOOD, "samples/2_epoch_1.json": b"{"}
    path.write_bytes(packed(names, method))
    good, bad = read_eval(path)
    assert (good[0], good[2]) == ("sample 1, epoch 1", "")
    assert taken(orjson.loads(good[1]))
    assert bad[1] == b""
    assert "JSON" in bad[2]


def test_a_bomb_is_refused_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eval_file, "MOST_BYTES", 1 << 20)
    path = tmp_path / "log.eval"
    bomb = b'"' + b" " * (8 << 20) + b'"'
    names = {"header.json": HEADER, "samples/1_epoch_1.json": bomb, "samples/2_epoch_1.json": GOOD}
    path.write_bytes(packed(names, 93))
    assert [fault for _, _, fault in read_eval(path)] == ["it is longer than 1 MiB", ""]


@pytest.mark.parametrize("content", [b"PK\x03\x04 no archive", packed({"a.txt": b"x"}, 0)])
def test_an_archive_that_is_no_log_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"\.eval"):
        list(read_eval(path))


@settings(max_examples=examples(200))
@given(JSON)
def test_no_value_does_more_than_be_refused(value: Any) -> None:
    members = ("events", "messages", "scores", "metadata", "output", "uuid", "started_at", "error")
    samples = [sample(**{name: value}) for name in members]
    for log in (value, log_of(value), *map(log_of, samples), log_of(sample(), eval=value)):
        assert all(isinstance(one, Taken | Refused) for one in read(log))
