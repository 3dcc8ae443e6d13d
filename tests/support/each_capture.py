"""A test of every capture as one case for each dialect: 70 cases in place of 530.

``pytest 'tests/system/test_captures.py::test_capture_is_right_in_every_measure[langfuse]'`` runs
one dialect; a failure has every capture that failed, by name.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from functools import wraps
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.support.ground_truth import Capture

    Test = Callable[..., None]


def each_capture(captures: Iterable[Capture]) -> Callable[[Test], Test]:
    """Call a test with each of the captures as ``capture``, those of a dialect in one case."""
    dialects: defaultdict[str, list[Capture]] = defaultdict(list)
    for capture in captures:
        dialects[capture.dialect].append(capture)
    assert dialects

    def decorate(test: Test) -> Test:
        @wraps(test)
        def check(dialect: str, **fixtures: object) -> None:
            _check_all(dialects[dialect], lambda one: test(capture=one, **fixtures))

        own = inspect.signature(test)
        arguments = [
            parameter.replace(name="dialect", annotation=str) if name == "capture" else parameter
            for name, parameter in own.parameters.items()
        ]
        check.__signature__ = own.replace(parameters=arguments)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("dialect", list(dialects))(check)

    return decorate


def _check_all(captures: Iterable[Capture], check: Callable[[Capture], None]) -> None:
    failed: dict[str, Exception] = {}
    for capture in captures:
        try:
            check(capture)
        except Exception as error:
            error.add_note(f"capture: {capture.id}")
            failed[capture.id] = error
    if failed:
        raise ExceptionGroup(f"failed: {', '.join(failed)}", list(failed.values()))
