"""Counts, per code, losses: facts about a run that another format cannot hold.

The codes are part of the public interface: they appear in reports of ``convert``, ``import`` and
``export`` and in the header ``Spanloom-Losses``. ``docs/formats/losses.md`` explains each.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LOSSES = "Spanloom-Losses"
"""The response header for losses; ``Losses.header`` is its value."""
MOST_LISTED = 10_000
"""Maximum number of losses that a report lists with their paths; the counts include all."""


class Code(StrEnum):
    """Why a fact about a run is missing or made up after a conversion; a closed list."""

    DURATION_UNKNOWN = "duration_unknown"
    """The source has no end time of a step: it lasts until the next step, or 0 ms."""
    CALL_UNPAIRED = "call_unpaired"
    """A tool call has no tool run, or a tool run has no call."""
    CALL_ID_MADE = "call_id_made"
    """A call had no id and got one."""
    ARGS_NOT_OBJECT = "args_not_object"
    """Arguments of a call are not a JSON object, which the format requires."""
    TOOL_RETRY_DROPPED = "tool_retry_dropped"
    """A call ran more than once, and the format has one result for it: the last."""
    HISTORY_REWRITTEN = "history_rewritten"
    """An agent's model input does not continue the previous one; one history is written."""
    PARTS_DROPPED = "parts_dropped"
    """Parts of a message other than text became a placeholder."""
    BYTES_MOVED = "bytes_moved"
    """Media of a message are in a separate file."""
    GRAPH_FLATTENED = "graph_flattened"
    """Graph nodes are left out or get another type; steps below them keep their position."""
    AGENTS_SEPARATE = "agents_separate"
    """Each agent of the run is a separate item."""
    ERROR_AS_TEXT = "error_as_text"
    """The failure of a step is written only as text."""
    TOKENS_DROPPED = "tokens_dropped"
    """Token counts are not written."""
    TIMES_DROPPED = "times_dropped"
    """Times of steps are not written."""
    IDS_MADE = "ids_made"
    """The source has no id of that form; it is computed from the source's content."""
    TEXTS_DROPPED = "texts_dropped"
    """Inputs or outputs of steps are not written."""
    VALUE_TRUNCATED = "value_truncated"
    """A value is longer than the format permits and was cut, or had to be replaced."""
    METADATA_DROPPED = "metadata_dropped"
    """Attributes of steps or of the run are not written."""
    METRICS_RECOMPUTED = "metrics_recomputed"
    """Totals of the source contradict its steps and were computed again."""
    SCORES_DROPPED = "scores_dropped"
    """Scores or annotations are not imported with the run, or not written with it."""
    NO_AGENT = "no_agent"
    """The run has no agent, and the format needs one."""
    NO_GRAPH_NODES = "no_graph_nodes"
    """The run has no graph nodes, and the format consists of them."""
    TOO_LARGE = "too_large"
    """The run is larger than the format permits."""


class Loss(NamedTuple):
    """One loss: its run, its code, and its position in the run."""

    trace_id: str
    path: str
    """A path such as ``agent_steps.0.steps.3.output``, or the id of a step."""
    code: Code


class NotHeldError(PermanentError):
    """Raised if a format cannot hold a run (HTTP 406; file exports skip it); ``code`` is why."""

    def __init__(self, code: Code, message: str = "") -> None:
        """Store the code, which is also the message if ``message`` is empty."""
        super().__init__(message or str(code))
        self.code = code


class Losses:
    """Collects the losses of one conversion, run by run."""

    def __init__(self) -> None:
        """Start without losses."""
        self.trace_id = ""
        """The trace id of the current run; the caller sets it before converting a run."""
        self._counts: dict[Code, int] = {}
        self._noted: list[tuple[str, str, Code]] = []

    def note(self, code: Code, path: str = "", times: int = 1) -> None:
        """Count ``times`` losses at a path of the current run; none if ``times`` is below 1."""
        if times < 1:
            return
        self._counts[code] = self._counts.get(code, 0) + times
        if len(self._noted) < MOST_LISTED:
            self._noted.append((self.trace_id, path, code))

    def add(self, other: Losses, trace_id: str = "") -> None:
        """Add the losses of another conversion; losses without a trace id get ``trace_id``."""
        for code, times in other._counts.items():
            self._counts[code] = self._counts.get(code, 0) + times
        self._noted += (
            (named or trace_id, path, code)
            for named, path, code in other._noted[: MOST_LISTED - len(self._noted)]
        )

    @property
    def counts(self) -> Counter[Code]:
        """The number of losses per code."""
        return Counter(self._counts)

    @property
    def listed(self) -> Sequence[Loss]:
        """The first losses, in order, at most ``MOST_LISTED``."""
        return list(starmap(Loss, self._noted))

    @property
    def header(self) -> str:
        """The header value: ``code=n, code=n``, sorted by code; empty if there are no losses."""
        return ", ".join(f"{code}={n}" for code, n in sorted(self._counts.items()))


def read_header(value: str) -> Mapping[str, int]:
    """Parse the value of a ``Spanloom-Losses`` header; return the counts, keyed by code."""
    pairs = (one.strip().partition("=") for one in value.split(",") if one.strip())
    return {code: int(n) for code, _, n in pairs if n.isdigit()}
