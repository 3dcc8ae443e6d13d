"""The step of a run: its type, its texts, the tokens of a model call, and its failure.

Times are nanoseconds, and most types are named tuples, as in ``trajectory.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class StepType(StrEnum):
    """The kind of a step."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    GRAPH = "graph"


REPORTED_BY_STATUS = "status"
"""The value of ``StepError.reported_by`` if only the span's status reports the failure."""
NO_CODE = -1
"""The value of ``StepError.code`` if no code was reported."""


@dataclass(frozen=True, slots=True)
class StepError:
    """A failure of a step; exceptions for control flow are not failures."""

    code: int
    """The HTTP or provider code; ``NO_CODE`` if not reported."""
    message: str
    """The error message; the type if there is no message."""
    type: str = ""
    """The exception's name without its package, ``KeyError``, or another name for the failure,
    ``content_filter``; empty if unknown."""
    traceback: str = field(default="", compare=False)
    """The stack trace, in the format of the instrumentation."""
    reported_by: str = field(default="", compare=False)
    """The source of the failure: ``exception``, else ``attribute``, else ``status`` of the span, or
    ``result`` if only a tool's result reports it."""


_LITERAL = re.compile(r"'[^']*+'|\"[^\"]*+\"", re.DOTALL)


def with_type(message: str, kind: str) -> str:
    """Return the message preceded by its type, as in Python's ``KeyError: 'city'``.

    The type is not repeated if the message already begins with it, with or without its package:
    ``openai.RateLimitError: slow down``.
    """
    begins = message.startswith(kind) or message.partition(":")[0].endswith(f".{kind}")
    return message if not kind or begins else f"{kind}: {message}"


def explained(message: str, kind: str) -> str:
    """Return an exception's message, preceded by its type if it is only an argument: ``'city'``."""
    is_argument = message and (kind == "KeyError" or _LITERAL.fullmatch(message))
    return with_type(message, kind) if is_argument else message


class Usage(NamedTuple):
    """Tokens of one model call; input includes cached tokens, output includes reasoning tokens."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_creation_tokens: int = 0

    def completed_by(self, other: Usage) -> Usage:
        """Return these counts, with zeros replaced by the counts of ``other``."""
        return Usage(*(ours or theirs for ours, theirs in zip(self, other, strict=True)))

    def since(self, earlier: Usage) -> Usage:
        """Return the difference to an earlier running sum, never below 0."""
        return Usage(*(max(0, now - then) for now, then in zip(self, earlier, strict=True)))


class Step(NamedTuple):
    """One step of a run: a model call, tool run, agent or graph."""

    id: str
    parent_id: str
    """The nearest ancestor that is a step; empty for the root."""
    type: StepType
    name: str
    start_ns: int
    end_ns: int
    input: str = ""
    output: str = ""
    error: StepError | None = None
    usage: Usage | None = None
    """The tokens of a model call; ``None`` on other steps."""
    model: str = ""
    """The model that responded, or else the requested model; only on model steps."""
    first_token_ms: float | None = None
    metadata: Mapping[str, str] = MappingProxyType({})

    @property
    def dialect(self) -> str:
        """The dialect that read the step's span; empty if not recorded."""
        return self.metadata.get("dialect", "")

    @property
    def richness(self) -> int:
        """The number of known details: texts, model, kinds of token counts, details of a failure.

        If two instrumentations report the same run, the step with more details is preferred.
        """
        error = self.error
        of_failure = (error.code not in (0, -1), error.type, error.message) if error else ()
        texts = (self.input, self.output, self.model)
        return sum(map(bool, (*texts, self.first_token_ms, *(self.usage or ()), *of_failure)))


def names_of_agents(agents: Iterable[Step]) -> list[str]:
    """Return the distinct names of agents in the order of their start."""
    began = sorted(agents, key=lambda s: (s.start_ns, s.id))
    return list(dict.fromkeys(s.metadata.get("agent_name", s.name) for s in began))
