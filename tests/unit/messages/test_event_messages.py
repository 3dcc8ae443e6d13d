"""Messages are read from events of spans or log records, in both generations of conventions."""

from __future__ import annotations

import orjson
import pytest
from tests.support.extracting import World
from tests.support.ground_truth import Capture, all_captures
from tests.support.spans import START_NS, genai, make_span, normalized

from spanloom.core.model.span import Event

CAPTURES = [c for c in all_captures() if c.dialect == "otel-openai-v2" and c.logs()]
Messages = list[dict[str, object]]


def texts(*events: tuple[str, dict[str, str]]) -> tuple[Messages, Messages]:
    """Return the input and output of a model call with these events."""
    made = [Event(START_NS, name, said) for name, said in events]
    facts = normalized(make_span(1, 0, genai("chat"), events=made))[1].facts
    return orjson.loads(facts.input or "[]"), orjson.loads(facts.output or "[]")


def test_a_choice_may_hold_a_whole_message() -> None:
    message = '{"role":"assistant","content":"Hello"}'
    _, [answer] = texts(("gen_ai.choice", {"message": message, "finish_reason": "stop"}))
    assert answer == {**orjson.loads(message), "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Hi", "Hi"),
        ("42", "42"),
        ("null", "null"),
        ('{"city":"Oslo"}', '{"city":"Oslo"}'),
        ('[{"text":"Hi"}]', "Hi"),
        ("[broken", "[broken"),
    ],
)
def test_content_is_what_was_said(said: str, content: object) -> None:
    [message], _ = texts(("gen_ai.tool.message", {"content": said, "id": "7"}))
    assert message == {"role": "tool", "content": content, "tool_call_id": "7"}


def test_an_answer_that_is_json_is_content() -> None:
    _, [answer] = texts(("gen_ai.choice", {"message": '{"city":"Oslo"}'}))
    assert answer == {"role": "assistant", "content": '{"city":"Oslo"}'}


def test_messages_without_anything_said_are_none() -> None:
    asked, _ = texts(("gen_ai.system.message", {}), ("gen_ai.user.message", {"role": "user"}))
    _, answered = texts(("gen_ai.choice", {"message": '{"role":"assistant"}', "index": "0"}))
    assert (asked, answered) == ([], [])


def test_one_event_may_have_all_messages() -> None:
    details = {
        "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
        "gen_ai.input.messages": '[{"role":"user","parts":[]}]',
        "gen_ai.output.messages": '[{"role":"assistant","parts":[]}]',
    }
    asked, answered = texts(("gen_ai.client.inference.operation.details", details))
    assert [m["role"] for m in (*asked, *answered)] == ["system", "user", "assistant"]


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda c: c.id)
def test_calls_say_what_the_model_server_was_asked_and_answered(capture: Capture) -> None:
    world = World()
    for body in capture.requests():
        world.send_message(body)
    world.send_logs(capture.logs())
    world.run(100, every=10)
    documents = [world.document(trace_id) for trace_id in capture.truth["trace_ids"]]
    steps = {s["id"]: s for d in documents for a in d["agent_steps"] for s in a["steps"]}
    calls = {call["seq"]: call for call in capture.truth["model_calls"]}
    for span_id, span in capture.truth["spans"].items():
        if span["type"] != "model":
            continue
        call, step = calls[span["model_call"]], steps[span_id]
        roles = [message["role"] for message in orjson.loads(step["input"])]
        assert roles[:2] == ["system", "user"]
        assert all(name in step["output"] for name in call["asks_for_tools"] or ())
        assert call["asks_for_tools"] or (call["text"] or "") in step["output"]


def test_without_choices_the_last_message_of_the_assistant_is_the_answer() -> None:
    azure = '{"content":{"text":{"value":"Dry."}},"role":"assistant"}'
    asked = ("gen_ai.user.message", {"content": "Rome?"})
    last = ("gen_ai.assistant.message", {"gen_ai.event.content": azure})
    [question], [answer] = texts(asked, last)
    assert (question["content"], answer["content"]) == ("Rome?", "Dry.")
    sent, [answer] = texts(asked, last, ("gen_ai.choice", {"message": "Wet."}))
    assert (len(sent), answer["content"]) == (2, "Wet.")
    assert texts(last)[1] == []


def test_contents_of_google_hold_their_parts() -> None:
    contents = '[{"parts":[{"text":"Rome?"}],"role":"user"}]'
    [question], _ = texts(("gen_ai.user.message", {"content": contents}))
    assert question["content"] == "Rome?"
