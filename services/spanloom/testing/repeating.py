"""Runs a marked test several times within one item of pytest, and decides by how many passed."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from spanloom.core.showing.values import shortened
from spanloom.evaluation.statistics.repeats import pass_at, pass_hat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_REQUIRE = re.compile(r"pass([@^])(\d+) *(>=|>) *(\d+(?:\.\d+)?|\.\d+)")
_FUNCTIONS: Mapping[str, Callable[[int, int, int], float]] = {"@": pass_at, "^": pass_hat}
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {">=": operator.ge, ">": operator.gt}
_REPEATED = pytest.StashKey[bool]()
MAX_REPEATS = 1_000
_LONGEST = 300


class Requirement(NamedTuple):
    """The condition on the tries of a test: ``pass@1 >= 0.75``."""

    sign: str
    k: int
    compare: str
    least: float

    def holds(self, value: float) -> bool:
        """Return whether a value meets the condition."""
        return _COMPARE[self.compare](value, self.least)

    def value(self, tries: int, passed: int) -> float:
        """Return the statistic for a number of tries and a number of passed tries."""
        return _FUNCTIONS[self.sign](tries, passed, self.k)

    def __str__(self) -> str:
        return f"pass{self.sign}{self.k} {self.compare} {self.least:g}"


class Repeats(NamedTuple):
    """The arguments of the marker: the number of tries, and the condition that they must meet."""

    tries: int
    requirement: Requirement


def read_mark(args: Sequence[object], kwargs: Mapping[str, Any]) -> Repeats:
    """Parse the arguments of the marker; raises ``ValueError`` if they are invalid."""
    if args or not kwargs.keys() <= {"repeats", "require"}:
        raise ValueError("it has the keywords repeats and require, and no others")
    tries, require = kwargs.get("repeats", 1), kwargs.get("require")
    if type(tries) is not int or not 1 <= tries <= MAX_REPEATS:
        raise ValueError(f"repeats is a number from 1 to {MAX_REPEATS:,}, not {tries!r}")
    if require is None:
        return Repeats(tries, Requirement("^", tries, ">=", 1.0))
    match = _REQUIRE.fullmatch(require.strip()) if isinstance(require, str) else None
    if match is None:
        raise ValueError(f"require is such as 'pass@1 >= 0.75' or 'pass^3 >= 0.5', not {require!r}")
    sign, k, compare, least = match.groups()
    if not 1 <= int(k) <= tries:
        raise ValueError(f"require {require!r}: of {tries} repeats k is 1 to {tries}")
    if float(least) > 1:
        raise ValueError(f"require {require!r}: a share is at most 1")
    return Repeats(tries, Requirement(sign, int(k), compare, float(least)))


def run_marked(item: pytest.Function, mark: pytest.Mark) -> bool | None:
    """Run a test as often as its marker demands; return ``None`` if pytest has to run it once."""
    __tracebackhide__ = True
    if item.stash.get(_REPEATED, False):
        return None
    try:
        repeats = read_mark(mark.args, mark.kwargs)
    except ValueError as error:
        pytest.fail(f"pytest.mark.spanloom: {error}", pytrace=False)
    if repeats.tries == 1:
        return None
    item.stash[_REPEATED] = True
    try:
        _decide(item, repeats, [_try(item) for _ in range(repeats.tries)])
    finally:
        item.stash[_REPEATED] = False
    return True


def _try(item: pytest.Function) -> str | None:
    """Run the test once and return why it failed, ``None`` if it passed; a skip is raised."""
    try:
        item.ihook.pytest_pyfunc_call(pyfuncitem=item)
    except (Exception, pytest.fail.Exception) as error:
        return f"{type(error).__name__}: {error}"
    return None


def _first_line(text: str) -> str:
    return shortened(text.partition("\n")[0], _LONGEST)


def _decide(item: pytest.Function, repeats: Repeats, failures: Sequence[str | None]) -> None:
    __tracebackhide__ = True
    passed = failures.count(None)
    value = repeats.requirement.value(repeats.tries, passed)
    required = repeats.requirement
    summary = (
        f"{passed} of {repeats.tries} tries passed: pass{required.sign}{required.k} = {value:.3g}"
    )
    lines = [
        f"try {at}: {'passed' if why is None else _first_line(why)}"
        for at, why in enumerate(failures, 1)
    ]
    if required.holds(value):
        item.add_report_section("call", "spanloom", "\n".join([summary, *lines]))
        return
    first = next(why for why in failures if why is not None)
    text = "\n".join(
        [f"{summary}, required is {required}", *lines, "", "The first failure:", first]
    )
    pytest.fail(text, pytrace=False)
