"""Builds the argument of Coze Loop's code evaluators: ``exec_evaluation(turn)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spanloom.core.document import AGENTS, ROOT
from spanloom.core.exchange.coze.example import parts
from spanloom.core.formats.json_bytes import as_text, dump
from spanloom.core.formats.parts import MAX_WHOLE
from spanloom.core.messages.texts import answer_in, question_in

if TYPE_CHECKING:
    from spanloom.core.document import Document
    from spanloom.evaluation.subject.subject import Subject

_REFERENCE: Final = "reference_output"


def turn_of(subject: Subject) -> dict[str, Any]:  # JSON values
    """Return the ``turn`` for a run: fields of the dataset item, and of the agent's output."""
    document, expected = subject.run.document, subject.expected
    about = document.extraction.metadata
    reference = expected.response if expected.response is not None else about.get(_REFERENCE, "")
    fields = {
        "input": question_in(document.root.input, MAX_WHOLE),
        _REFERENCE: as_text(reference),
    }
    if subject.reference is not None:
        fields["trajectory"] = _trajectory(subject.reference.document)
    outputs = {
        "actual_output": answer_in(document.root.output, MAX_WHOLE),
        "trajectory": _trajectory(document),
    }
    return {
        "evaluate_dataset_fields": _contents(fields),
        "evaluate_target_output_fields": _contents(outputs),
        "ext": {},
    }


def _trajectory(document: Document) -> str:
    root, agents = parts(document)
    return dump({"id": document.id, ROOT: root, AGENTS: agents}).decode()


def _contents(fields: dict[str, str]) -> dict[str, Any]:
    return {name: {"content_type": "Text", "text": text} for name, text in fields.items()}
