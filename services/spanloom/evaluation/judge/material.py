"""The uncut texts of a run that a judge reads: question, tools, steps, answer, reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.formats.json_bytes import dump
from spanloom.core.messages.texts import answer_in, question_in
from spanloom.evaluation.judge.fitting import fit
from spanloom.evaluation.judge.steps import StepLines, step_lines
from spanloom.evaluation.judge.suspicion import is_suspicious
from spanloom.evaluation.judge.texts import without_base64
from spanloom.evaluation.subject.calls import calls_of
from spanloom.evaluation.subject.canonical import Budget
from spanloom.evaluation.subject.offered import offered_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.document import Document, DocumentStep
    from spanloom.evaluation.judge.fitting import Fitted, Room
    from spanloom.evaluation.subject.expected import Expected
    from spanloom.evaluation.subject.subject import Subject

_ALL = 1_000
"""Maximum calls of a reference in a prompt."""
STEPS = (
    "A line of the steps has the number of the step, agent, type and name, then what happened: "
    "`call ID tool(arguments)`, or `result ID ok` or `result ID error CODE` with the result of the "
    "call of that ID."
)


@dataclass
class Material:
    """The texts that a judge reads; empty texts are left out of the prompt."""

    question: str = ""
    tools: str = ""
    steps: StepLines = field(default=StepLines((), (), 0))  # it is immutable
    answer: str = ""
    reference: str = ""
    project: str = ""
    lines_name: str = "steps"
    """The name of the block with the lines of ``steps``."""
    about_lines: str = STEPS
    """Instructions on how to read these lines."""
    _fitted: dict[Room, Fitted] = field(default_factory=dict)

    def fitted(self, room: Room) -> Fitted:
        """Return the steps shortened for ``room``, computed once for all votes and requests."""
        if room not in self._fitted:
            self._fitted[room] = fit(self.steps, room)
        return self._fitted[room]

    @property
    def is_suspicious(self) -> bool:
        """Whether a text of the run addresses its evaluator, a sign of prompt injection."""
        texts = (text for line in self.steps.lines for text in (line.head, line.text))
        return is_suspicious("\n".join((self.question, self.tools, self.answer, *texts)))


def read_material(subject: Subject) -> Material:
    """Return the material of a run; raises ``UnreadableRunError``, ``UnreadableExpectedError``."""
    document = subject.run.document
    return Material(
        without_base64(question_in(document.root.input)),
        "\n".join(_tools(document)),
        step_lines(document),
        without_base64(answer_in(document.root.output)),
        "\n".join(reference_lines(subject)),
        project_of(document),
    )


def project_of(document: Document) -> str:
    """Return the project of a run; empty if it has none."""
    return str(document.extraction.project)


def _tools(document: Document) -> Iterator[str]:
    for tool in offered_in(_models(document)).values():
        about = " ".join(tool.description.split())
        yield f"{tool.name}({_parameters(tool.schema)}){': ' + about if about else ''}"


def _models(document: Document) -> Iterator[DocumentStep]:
    for agent in document.agents:
        yield agent
        yield from (step for step in agent.steps if step.type == "model")


def _parameters(schema: Mapping[str, object] | None) -> str:
    properties = (schema or {}).get("properties")
    return ", ".join(map(str, properties)) if isinstance(properties, dict) else ""


def expected_lines(expected: Expected) -> Iterator[str]:
    """Yield the expected answer and facts, a line each."""
    if expected.response:
        yield f"expected answer: {expected.response}"
    yield from (f"expected fact: {fact}" for fact in expected.facts)


def reference_lines(subject: Subject) -> Iterator[str]:
    """Yield the expected answer, facts and calls of a run, a line each."""
    yield from expected_lines(subject.expected)
    if subject.reference is not None:
        for call in calls_of(subject.reference, budget=Budget())[:_ALL]:
            arguments = dump(call.arguments).decode()
            yield f"expected call: {call.name}({without_base64(arguments)})"
