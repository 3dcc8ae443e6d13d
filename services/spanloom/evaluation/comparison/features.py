"""The compared properties of a run: features (yes or no) and numbers, each with its ``where``.

Every feature can be queried: its ``where`` finds exactly the runs that have it. Therefore
transitions follow the order of steps in a run (``next``), in which an agent comes before its calls,
and texts are not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.query.shapes import SHAPE_NUMBERS
from spanloom.core.query.where.short_forms import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_NAME = 200
"""Maximum characters of a name, as in queries; features with longer names are left out."""


class Feature(NamedTuple):
    """A yes-or-no property of a run, such as a tool that ran."""

    kind: str
    """The kind of the feature, a key of ``KINDS``."""
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the feature in a result: ``transition: tool search → tool refund``."""
        return f"{self.kind}: {_JOINED.get(self.kind, ' ').join(filter(None, self.parts))}"

    @property
    def line(self) -> str:
        """The ``where`` that finds the runs that have the feature."""
        return _LINES[self.kind](*self.parts)

    @property
    def words(self) -> str:
        """The feature as a phrase about runs: ``called the tool search``."""
        return _WORDS[self.kind](*self.parts)


def step_line(type_: str, name: str) -> str:
    """Return the condition of a step of this type and name."""
    return f"type = {type_} and name = {quoted(name)}"


def _failure(type_: str, name: str, code: str) -> str:
    coded = f"error_code = {code}" if code else "not error_code exists"
    return f"has({step_line(type_, name)} and error and {coded})"


def _step(text: str) -> str:
    type_, _, name = text.partition(" ")
    return step_line(type_, name)


_JOINED: Mapping[str, str] = {"transition": " → ", "handoff": " → "}
_LINES: Mapping[str, Callable[..., str]] = {
    "outcome": lambda outcome: f"outcome = {outcome}",
    "failure": _failure,
    "tool": lambda name: f"has(tool = {quoted(name)})",
    "tool_again": lambda name: f"count(tool = {quoted(name)}) >= 2",
    "agent": lambda name: f"has(agent = {quoted(name)})",
    "handoff": lambda above, below: (
        f"has(agent = {quoted(below)} child of agent = {quoted(above)})"
    ),
    "transition": lambda first, second: f"has({_step(first)} next {_step(second)})",
}
_WORDS: Mapping[str, Callable[..., str]] = {
    "outcome": lambda outcome: f"ended with the outcome {outcome}",
    "failure": lambda type_, name, code: f"{type_} {name} failed" + (code and f" with {code}"),
    "tool": lambda name: f"tool {name} ran",
    "tool_again": lambda name: f"tool {name} ran twice or more",
    "agent": lambda name: f"agent {name} ran",
    "handoff": lambda above, below: f"agent {above} handed over to agent {below}",
    "transition": lambda first, second: f"{first} was followed by {second}",
}


KINDS = tuple(_LINES)
"""The kinds from the simplest to the most detailed."""


class Number(NamedTuple):
    """A numeric property of a run, such as its duration, identified by its query field's name."""

    name: str
    unit: str
    """``ms``, ``USD``, ``tokens``, or empty for a count."""

    @property
    def line(self) -> str:
        """The ``where`` that finds the runs that have the number."""
        return f"{self.name} exists"


_UNITS = {
    **dict.fromkeys(("duration", "model_time", "tool_time", "first_token"), "ms"),
    **dict.fromkeys(("input_tokens", "output_tokens"), "tokens"),
    "cost": "USD",
}
NUMBERS = tuple(Number(name, _UNITS.get(name, "")) for name in SHAPE_NUMBERS)
