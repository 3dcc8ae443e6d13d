"""The steps of a run in one order, each with its place among the others.

The order is that of their starts; of equal starts the longest comes first, so that an agent stands
before the call that it began with. Places count from 1; 0 is none.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from spanloom.core.model.trajectory import Step, StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_TOOL = StepType.TOOL  # kept: until Python 3.12 an enum is slow to give it
MOST_ATTRIBUTES = 64
"""Attributes that a run can be found by, and the most characters of a value."""
LONGEST_ATTRIBUTE = 256
NOT_SENT = frozenset(
    {
        *("dialect", "rule", "parent_span_id", "span_name", "model"),
        *("cost", "cost_source", "error_type", "error_told_by"),
        *("input_from", "output_from"),
    }
)
"""Keys of a step's metadata that say what we made of a span, or have a column of their own."""


class FlatStep(NamedTuple):
    """A step and where it stands in its run."""

    step: Step
    parent: int
    """Place of the nearest step above; 0 below a root that is no step."""
    agent: int
    """Place of the agent that owns it; 0 where that is a root that is no step."""
    enter: int
    """When a walk from the top down meets it, from 1."""
    exit: int
    """When that walk meets the last step below it: what is under it entered in between."""
    args: int
    """CRC-32 of a tool's name and arguments; 0 of other steps."""


def lay_flat(owned: Iterable[tuple[str, Step]]) -> Sequence[FlatStep]:
    """Return steps, each given with the id of its agent, in order and with their places."""
    ordered = sorted(owned, key=_by_start)
    places = {step.id: place for place, (_, step) in enumerate(ordered, 1)}
    parents = [places.get(step.parent_id, 0) for _, step in ordered]
    walk = _intervals(parents)
    return [
        FlatStep(step, parent, places.get(agent_id, 0), *interval, _args(step))
        for (agent_id, step), parent, interval in zip(ordered, parents, walk, strict=True)
    ]


class Repeats(NamedTuple):
    """How often a run made the same call: of one tool with the same arguments."""

    longest: int = 0
    """Runs of tools in a row, whatever models said in between."""
    most: int = 0
    """In the whole run."""


def count_repeats(steps: Iterable[FlatStep]) -> Repeats:
    """Return how often one call of a tool came at most: what loops looks like this."""
    calls = [flat.args for flat in steps if flat.step.type is _TOOL]
    if not calls:
        return Repeats()
    longest = max(sum(1 for _ in same) for _, same in groupby(calls))
    return Repeats(longest, max(Counter(calls).values()))


def find_attributes(
    of_run: Mapping[str, str], of_root: Mapping[str, str], steps: Iterable[FlatStep]
) -> list[str]:
    """Return by what senders' metadata a run can be found, sorted: that of any step finds it.

    What is told of the whole run comes first, where there is more than can be kept.
    """
    told = (of_run, of_root, *(flat.step.metadata for flat in steps))
    found = dict.fromkeys(chain.from_iterable(map(list_attributes, told)))
    return sorted(islice(found, MOST_ATTRIBUTES))


def list_attributes(metadata: Mapping[str, str]) -> list[str]:
    """Return by what a step's metadata can be found, ``key=value``, sorted; long ones are not."""
    return sorted(
        f"{key}={value}"
        for key, value in metadata.items()
        if key not in NOT_SENT and len(value) <= LONGEST_ATTRIBUTE
    )


def _by_start(owned: tuple[str, Step]) -> tuple[int, int, str]:
    step = owned[1]
    return step.start_ns, -step.end_ns, step.id


def _intervals(parents: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield for each step when a walk from the top down enters it and what is last below it."""
    below: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for place, parent in enumerate(parents, 1):
        below[parent].append(place)
    met: list[int] = []
    waiting = below[0][::-1]
    while waiting:
        met.append(place := waiting.pop())
        waiting += below[place][::-1]
    sizes = [1] * len(below)
    for place in reversed(met):
        sizes[parents[place - 1]] += sizes[place]
    enters = {place: enter for enter, place in enumerate(met, 1)}
    for place in range(1, len(below)):
        enter = enters.get(place, 0)  # of a circle, which no tree has, none is met
        yield enter, enter + sizes[place] - 1


def _args(step: Step) -> int:
    if step.type is not _TOOL:
        return 0
    return crc32(f"{step.name}\0{step.input}".encode(errors="surrogatepass"))
