"""The kind ``python``: a file with ``evaluate(document, expected)`` or ``exec_evaluation(turn)``.

Every judgement runs in a separate process (``process.py``).
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationInfo

from spanloom.evaluation.code.answers import read_answer
from spanloom.evaluation.code.process import Bounds, FailedCodeError, run_code
from spanloom.evaluation.code.turn import turn_of
from spanloom.evaluation.contract.view import WHOLE
from spanloom.evaluation.evaluator import Judging, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.subject.subject import Subject

MAX_SOURCE = 1 << 20
"""Maximum bytes of a file."""
COZE: Final = "exec_evaluation"
OURS: Final = "evaluate"


class Source:
    """The code of a file, read when the evaluator is created."""

    def __init__(self, name: str, text: str, function: str) -> None:
        """Store the file's name, its text, and the name of the function that judges."""
        self.name, self.text, self.function = name, text, function


def _read(path_value: object, info: ValidationInfo) -> Source:
    """Return the code of a path, which is relative to the folder of the configuration."""
    if not isinstance(path_value, str | Path):
        raise ValueError("the path of a Python file is needed")
    path = Path((info.context or {}).get("folder") or ".") / path_value
    try:
        with path.open("rb") as file:
            body = file.read(MAX_SOURCE + 1)
        text = body.decode()
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if len(body) > MAX_SOURCE:
        raise ValueError(f"{path} has more than {MAX_SOURCE} bytes")
    return Source(path.name, text, _function_in(text, path))


def _function_in(text: str, path: Path) -> str:
    try:
        tree = ast.parse(text, str(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{path} is no Python: {error}") from error
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = next((name for name in (COZE, OURS) if name in defined), None)
    if found is None:
        raise ValueError(f"{path} defines neither {COZE}(turn) nor {OURS}(document, expected)")
    return found


def _as_contents(source: Source) -> dict[str, str]:
    return {"name": source.name, "text": source.text}


class PythonConfig(BaseModel):
    """The configuration of an evaluator whose code is a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    file: Annotated[Source, BeforeValidator(_read), PlainSerializer(_as_contents)]


def _make(config: PythonConfig, results: Results) -> Judging:
    source = config.file

    def judge(subject: Subject) -> Iterator[Result]:
        arguments = _arguments(source.function, subject)
        try:
            answer = run_code(source.text, source.name, source.function, arguments, Bounds())
        except FailedCodeError as error:
            yield results.error(error.code, str(error))
            return
        yield read_answer(answer, results)

    return Judging(view=WHOLE, judge=judge, scores=(results.evaluator,))


def _arguments(function: str, subject: Subject) -> Sequence[Any]:
    if function == COZE:
        return [turn_of(subject)]
    return [subject.run.document.json, subject.raw_expected or {}]


PYTHON: Final = Kind(PythonConfig, _make)
