"""Orders the steps of a run, and numbers them by their position in this order.

Steps are ordered by start; of steps with equal starts the longest comes first, so that an agent
comes before its first call. Positions count from 1; 0 means no step.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from spanloom.core.model.step import Step, StepType

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

_TOOL = StepType.TOOL  # cached: before Python 3.12 reading it from an enum is slow
MOST_ATTRIBUTES = 64
"""Maximum number of searchable attributes of a run, and maximum length of a value."""
LONGEST_ATTRIBUTE = 256
NOT_SENT = frozenset(
    {
        *("dialect", "rule", "parent_span_id", "span_name", "input_from", "output_from"),
        *("cost", "cost_source", "error_type", "error_told_by", "model"),
        *("service_name", "conversation_id"),
    }
)
"""Keys in a step's metadata that describe how a span was interpreted, or have separate columns."""


class FlatStep(NamedTuple):
    """A step with its positions in the run and in the tree of steps."""

    step: Step
    parent: int
    """Position of the nearest ancestor that is a step; 0 if there is none."""
    agent: int
    """Position of the agent that owns the step; 0 if the owner is a root that is not a step."""
    enter: int
    """The number of the step in a depth-first walk, from 1."""
    exit: int
    """The number of the step's last descendant in that walk, or the step's own number. The numbers
    after ``enter``, up to ``exit``, are its descendants."""
    args: int
    """CRC-32 of a tool's name and arguments; 0 for other steps."""


def lay_flat(owned: Iterable[tuple[str, Step]]) -> Sequence[FlatStep]:
    """Order steps by start, and number them; ``owned`` has each step with its agent's id."""
    return place_in_order(sorted(owned, key=_by_start))


def place_in_order(ordered: Sequence[tuple[str, Step]]) -> Sequence[FlatStep]:
    """Return ordered steps with their positions; ``ordered`` has each step with its agent's id."""
    steps = [step for _, step in ordered]
    places = {step.id: place for place, step in enumerate(steps, 1)}
    parents = [places.get(step.parent_id, 0) for step in steps]
    agents = [places.get(agent_id, 0) for agent_id, _ in ordered]
    del places  # for a long run it takes as much memory as the result
    columns = steps, parents, agents, *_walk(parents), map(_args, steps)
    return list(map(FlatStep._make, zip(*columns, strict=True)))


class Repeats(NamedTuple):
    """How often a run called a tool with the same arguments."""

    longest: int = 0
    """The highest number of equal calls in a row, ignoring model calls in between."""
    most: int = 0
    """The highest number of equal calls in the whole run."""


def count_repeats(steps: Iterable[FlatStep]) -> Repeats:
    """Return how often tool calls of a run repeat, which is a sign of a loop."""
    return repeats_of([flat.args for flat in steps if flat.step.type is _TOOL])


def repeats_of(calls: Sequence[Hashable]) -> Repeats:
    """Return how often equal values repeat in ``calls``, which are in order."""
    if not calls:
        return Repeats()
    longest = max(sum(1 for _ in same) for _, same in groupby(calls))
    return Repeats(longest, max(Counter(calls).values()))


def find_attributes(
    of_run: Mapping[str, str], of_root: Mapping[str, str], of_steps: Iterable[Sequence[str]]
) -> list[str]:
    """Return up to ``MOST_ATTRIBUTES`` searchable attributes of a run and its steps, sorted.

    If there are more, attributes of the run and its root take precedence.
    """
    own = (*list_attributes(of_run), *list_attributes(of_root))
    found = dict.fromkeys(chain(own, chain.from_iterable(of_steps)))
    return sorted(islice(found, MOST_ATTRIBUTES))


def list_attributes(metadata: Mapping[str, str]) -> list[str]:
    """Return the searchable metadata of a step as ``key=value``; long values are left out."""
    return [
        f"{key}={value}"
        for key, value in metadata.items()
        if key not in NOT_SENT and len(value) <= LONGEST_ATTRIBUTE
    ]


def _by_start(owned: tuple[str, Step]) -> tuple[int, int, str]:
    step = owned[1]
    return step.start_ns, -step.end_ns, step.id


def _walk(parents: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return ``enter`` and ``exit`` (see ``FlatStep``) for each step, from parents' positions."""
    below: dict[int, list[int]] = {}
    for place, parent in enumerate(parents, 1):
        below.setdefault(parent, []).append(place)
    enters, sizes = [0] * (len(parents) + 1), [1] * (len(parents) + 1)
    walked: list[int] = []
    waiting = below.get(0, [])[::-1]
    while waiting:
        walked.append(place := waiting.pop())
        enters[place] = len(walked)
        waiting += reversed(below.get(place, ()))
    for place in reversed(walked):
        sizes[parents[place - 1]] += sizes[place]
    exits = [enter + size - 1 for enter, size in zip(enters, sizes, strict=True)]
    return enters[1:], exits[1:]


def _args(step: Step) -> int:
    if step.type is not _TOOL:
        return 0
    return crc32(f"{step.name}\0{step.input}".encode(errors="surrogatepass"))
