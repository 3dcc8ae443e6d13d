"""Makes evaluators from Python callables: ``(document, expected) -> bool | number | …``.

They run in the caller's process, without a limit of time or memory.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.code.answers import read_answer
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.contract.view import WHOLE
from spanloom.evaluation.evaluator import Evaluator, Judging, config_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.subject.subject import Subject

KIND = "python"


def evaluator_of(function: Callable[..., object]) -> Evaluator:
    """Return an evaluator that calls ``function``, and has its name."""
    name = name_of(function)
    results = Results(name, KIND)

    def judge(subject: Subject) -> Iterator[Result]:
        document = orjson.loads(dump(subject.run.document.json))  # a copy: the code may change it
        expected = copy.deepcopy(subject.raw_expected or {})
        try:
            answer = function(document, expected)
        except SystemExit as error:
            yield results.error(ErrorCode.CRASHED, f"the code exited: {error}")
            return
        if inspect.iscoroutine(answer):
            answer.close()
            yield results.error(ErrorCode.INVALID_ANSWER, "the code returned a coroutine")
            return
        yield read_answer(answer, results)

    config = _config(function)
    judging = Judging(view=WHOLE, judge=judge, scores=(name,))
    return Evaluator(name, KIND, config, config_hash(KIND, config), judging)


def name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, or of the class of a callable object."""
    inner = getattr(function, "func", function)  # of functools.partial
    name = str(getattr(inner, "__name__", type(inner).__name__))
    return name.strip("<>")


def _config(function: Callable[..., object]) -> dict[str, Any]:  # JSON values
    inner = getattr(function, "func", function)
    named = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', name_of(inner))}"
    try:
        source = inspect.getsource(inner)
    except (OSError, TypeError):  # defined in a shell, or an object
        source = ""
    return {"callable": named, "source": hashlib.sha256(source.encode()).hexdigest()}
