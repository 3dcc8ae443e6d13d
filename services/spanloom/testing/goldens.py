"""Golden files: the projection of a run, which is the same when the agent behaves the same again.

A projection has types, names, agents, arguments and errors, in the order of the calls; no ids,
times, tokens or texts. It has the format of a document, so that all code for documents can read it;
numbers replace ids and start times.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.document import Document
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.subject.calls import calls_of
from spanloom.evaluation.subject.canonical import Budget
from spanloom.evaluation.subject.order import tree_order
from spanloom.evaluation.subject.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spanloom.core.document import DocumentStep
    from spanloom.core.formats.json_bytes import Json

FORMAT = "spanloom.golden/1"
_TEXTS = "a golden has no texts of models"


class Golden:
    """A golden file."""

    def __init__(self, path: Path) -> None:
        """Set the path of the file, which may be missing."""
        self.path = path

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise ``InvalidEvaluatorError`` for options that compare values which goldens lack."""
        if options.get("mode") == "strict":
            raise InvalidEvaluatorError("mode", f"{_TEXTS}: use exact, or give a document")
        if options.get("of") == "requested":
            raise InvalidEvaluatorError("of", f"{_TEXTS}: use ran, or give a document")

    def write_if_due(self, document: Json, *, is_update: bool, may_write_missing: bool) -> None:
        """Write the projection of a document if ``is_update``, or if the file is missing.

        Raises ``AssertionError`` if it is missing and must not be written.
        """
        __tracebackhide__ = True
        is_missing = not self.path.exists()
        if is_missing and not may_write_missing:
            raise AssertionError(
                f"there is no golden {self.path}: run the test with --spanloom-update, and commit "
                "what it writes"
            )
        if is_missing and not is_update:
            warnings.warn(f"written, as it was missing: {self.path}", stacklevel=4)
        if is_missing or is_update:
            self._write(project(document))

    def read(self) -> Json:
        """Return the document of the file; raises ``AssertionError`` if it is invalid."""
        __tracebackhide__ = True
        try:
            document = orjson.loads(self.path.read_bytes())
        except ValueError as error:
            raise AssertionError(f"{self.path} is no JSON: {error}") from None
        if not isinstance(document, dict):
            raise AssertionError(f"{self.path} is no golden: an object is needed")
        return document

    def _write(self, projected: Json) -> None:
        text = orjson.dumps(projected, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if self.path.exists() and self.path.read_bytes() == text:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        temporary.write_bytes(text)  # workers may write the same golden at the same time
        temporary.replace(self.path)


def project(document: Json) -> Json:
    """Return the projection of a document, in the form that a golden file has."""
    view = Document(document)
    order = tree_order(view)
    calls = calls_of(Run(document), budget=Budget())
    arguments = {call.step_id: call.arguments for call in calls}
    return {
        "format": FORMAT,
        "id": "",
        "root_step": _projected_step(view.root, order, arguments),
        "agent_steps": [
            {
                **_projected_step(agent, order, arguments),
                "parent_id": _number(agent.parent_id, order),
                "steps": [
                    {
                        **_projected_step(step, order, arguments),
                        "parent_id": _number(step.parent_id, order),
                        "type": step.type,
                    }
                    for step in agent.steps
                ],
            }
            for agent in view.agents
        ],
        "extraction": {"root_type": view.root_type},
    }


def _projected_step(
    step: DocumentStep, order: Mapping[str, int], given: Mapping[str, object]
) -> Json:
    place = _number(step.id, order)
    info: Json = {"started_at": place}
    if step.error is not None:
        info["error"] = {"code": step.error.get("code"), "msg": step.error_message}
    projected: Json = {"id": place, "name": step.name, "basic_info": info}
    if step.id in given:
        arguments = given[step.id]
        is_text = isinstance(arguments, str)
        projected["input"] = (
            arguments if is_text else orjson.dumps(arguments, option=_SORTED).decode()
        )
    if node := step.metadata.get("node"):
        projected["metadata"] = {"node": node}
    return projected


_SORTED = orjson.OPT_SORT_KEYS


def _number(step_id: str, order: Mapping[str, int]) -> str:
    return str(order[step_id]) if step_id in order else ""
