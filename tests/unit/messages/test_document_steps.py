"""A long document that is read in pieces yields the same steps as one that is read at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.generated_runs import generate_records

from spanloom.core.formats.canonical import encode_document
from spanloom.core.messages import document_steps
from spanloom.core.messages.document_steps import read_steps
from spanloom.core.messages.new_texts import read_document_texts
from spanloom.core.model.step import Step, StepType
from spanloom.core.model.trajectory import AgentStep, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.trajectory import Trajectory

LOOKS_LIKE_A_STEP = '"},{"id":"0"},{"id":"1","steps":[{"id":"2"}]},{"id":"3"}],"extraction":{'
RUNS = [record.trajectory for record in generate_records(30, "shop")]


def agent(run: Trajectory, steps: Sequence[Step]) -> AgentStep:
    return run.agent_steps[0]._replace(steps=steps)


def encode(run: Trajectory) -> bytes:
    return encode_document(run, 1, Status.SETTLED)


@pytest.fixture(autouse=True)
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_steps, "LONG", 0)
    monkeypatch.setattr(document_steps, "PIECE", 100)


@pytest.mark.parametrize("number", range(len(RUNS)))
def test_the_steps_are_those_of_the_document(number: int) -> None:
    document = encode(RUNS[number])
    assert list(document_steps._steps_by_piece(document)) == _expected(document)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_texts_that_look_like_steps_are_texts(count: int) -> None:
    steps = [
        Step(
            f"{n:016x}",
            f"{1:016x}",
            StepType.TOOL,
            LOOKS_LIKE_A_STEP,
            n,
            n + 1,
            input=LOOKS_LIKE_A_STEP,
            output="\\" + LOOKS_LIKE_A_STEP,
            metadata={LOOKS_LIKE_A_STEP: LOOKS_LIKE_A_STEP, "steps": "[", "id": "x"},
        )
        for n in range(count)
    ]
    run = next(run for run in RUNS if run.agent_steps)
    agents = [agent(run, steps), agent(run, []), agent(run, steps[:1])]
    document = encode(replace(run, agent_steps=agents))
    assert list(document_steps._steps_by_piece(document)) == _expected(document)


def test_a_document_of_another_form_is_read_at_once() -> None:
    document = encode(RUNS[0])
    other = orjson.dumps(orjson.loads(document), option=orjson.OPT_INDENT_2)
    with pytest.raises(ValueError, match="not found"):
        list(document_steps._steps_by_piece(other))
    assert list(read_steps(other)) == _expected(document)


def _expected(document: bytes) -> Sequence[object]:
    return list(read_document_texts(orjson.loads(document)))
