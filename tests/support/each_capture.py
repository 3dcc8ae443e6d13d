"""A test of every capture as one case per dialect: 70 cases instead of 530.

``pytest 'tests/system/test_captures.py::test_capture_is_right_in_every_measure[langfuse]'`` runs
one dialect; a failure names every capture that failed.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from functools import wraps
from typing import TYPE_CHECKING

import pytest
from tests.support.examples import is_long

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.support.ground_truth import Capture

    Test = Callable[..., None]


def each_capture(
    captures: Iterable[Capture], every_day: int | None = None
) -> Callable[[Test], Test]:
    """Call a test with each of the captures as ``capture``; captures of a dialect are one case.

    ``every_day`` is the maximum number of captures per dialect, except in Hypothesis's profile
    ``long``. It is for tests that extract each capture many times.
    """
    dialects: defaultdict[str, list[Capture]] = defaultdict(list)
    for capture in captures:
        dialects[capture.dialect].append(capture)
    assert dialects
    if every_day is not None and not is_long():
        dialects.update({name: spread(found, every_day) for name, found in dialects.items()})

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


def spread(captures: Sequence[Capture], most: int) -> list[Capture]:
    """Return ``most`` of the captures, evenly spread."""
    count = min(most, len(captures))
    return [captures[number * len(captures) // count] for number in range(count)]


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
