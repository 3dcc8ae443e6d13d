"""The runs that a run resumes or is resumed by are added to its stored document."""

from __future__ import annotations

import json

import jsonschema
import pytest
from tests.support.spans import extract_spans, genai, make_span, raised

from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.parts import may_continue, with_continuation
from spanloom.core.formats.schema import canonical_schema
from spanloom.core.model.trajectory import Status
from spanloom.core.query.continuations import NO_CONTINUATION, Continuation

ANSWER = '{"resume": "yes", "goto": []}'
WORDS = 'say "is_resuming":true and "pauses":[{'


def document(said: str, *, waits: bool = False) -> bytes:
    asked = raised("langgraph.errors.GraphInterrupt", "(Interrupt(value='ok?', id='1'),)")
    built = extract_spans(
        make_span(1, 0, genai("invoke_agent", input__messages=said), events=[asked] * waits)
    )
    return encode_document(built, 1, Status.SETTLED)


@pytest.mark.parametrize(
    ("body", "may"),
    [
        (document(ANSWER), True),
        (document("hi", waits=True), True),
        (document(WORDS), False),
        (document("hi"), False),
        (b'{"id": "odd"}', False),
    ],
)
def test_only_runs_that_wait_or_go_on_are_worth_a_look(body: bytes, may: bool) -> None:
    assert may_continue(body) is may


def test_the_rest_of_the_document_is_as_it_is_stored() -> None:
    stored = document(ANSWER)
    assert with_continuation(stored, NO_CONTINUATION) == stored
    told = with_continuation(stored, Continuation("a" * 32, "b" * 32))
    assert told.startswith(stored.removesuffix(b"}}"))
    read = json.loads(told)
    jsonschema.validate(read, canonical_schema())
    assert read["extraction"].pop("resumes") == "a" * 32
    assert read["extraction"].pop("resumed_by") == "b" * 32
    assert read == json.loads(stored)
