"""The ports for the call index, which finds several reports of one call of a model or tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey

ALWAYS_NS = 2**63 - 1
"""The end, in ns, of an unlimited time range, and of rows that every query has to find."""


class CallWindow(NamedTuple):
    """A query for calls with one key that ran at any time within a time range.

    The range never ends before it begins, even if a sender's clock is wrong.
    """

    call_key: str
    from_ns: int
    until_ns: int


class Extent(NamedTuple):
    """How many steps a trace has; used to compare reports of one run."""

    model_steps: int = 0
    tool_steps: int = 0
    richness: int = 0
    """The sum of ``Step.richness`` over these steps."""


class Call(NamedTuple):
    """A model or tool step in the call index, with the data that finds other reports of it."""

    key: TraceKey
    step_id: str
    call_key: str
    start_ns: int
    end_ns: int
    is_bare: bool
    """Whether the call is a model call and the only step of its trace."""
    dialect: str = ""
    """The dialect that classified the span of the step."""
    extent: Extent = Extent()
    """The numbers of steps in its trace."""
    answer: int = 0
    """A digest of the model's answer; 0 if it is unknown."""
    question: int = 0
    """A digest of the user's question; 0 if it is unknown, or if the answer is long enough."""

    def contradicts(self, other: Call) -> bool:
        """Return whether two calls are known to have different answers or different questions."""
        pairs = ((self.answer, other.answer), (self.question, other.question))
        return any(ours and theirs and ours != theirs for ours, theirs in pairs)

    def answers_as(self, other: Call) -> bool:
        """Return whether two calls are known to have the same answer."""
        return self.answer == other.answer != 0

    def is_within(self, window: CallWindow) -> bool:
        """Return whether the call has the key of a window and ran at some time within it."""
        return (
            self.call_key == window.call_key
            and self.start_ns <= window.until_ns
            and self.end_ns >= window.from_ns
        )


class CallFinder(Protocol):
    """Finds stored model and tool steps that may be other reports of a given call."""

    def find(self, project: str, windows: Sequence[CallWindow]) -> Sequence[Call]:
        """Return the steps in a project that have the call key of a window and overlap it.

        The cost depends on the number of results, so traces of several years may be searched at
        once, each with its own window.
        """


class PartFinder(Protocol):
    """Finds stored traces that may belong to the same run."""

    def find_parts(self, project: str, windows: Sequence[CallWindow], most: int) -> Sequence[Call]:
        """Return stored traces that may belong to one run (``core/joining/parts.py``).

        These traces have the call key of a window and overlap it in time. A trace is returned once;
        at most ``most`` traces are returned for a call key, in no particular order.
        """


class CallIndex(CallFinder, PartFinder, Protocol):
    """The call index, which also has rows for traces of runs with several traces."""
