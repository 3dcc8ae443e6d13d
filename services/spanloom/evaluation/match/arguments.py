"""How the arguments of calls are compared: each call gets the set of those that it matches.

A set of positions is an integer with a bit for each. So 10,000 calls are compared with 10,000 in a
fraction of a second, as equal arguments share a key, and partial ones a few sets.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.match.items import masks_of_subsets, masks_of_supersets
from spanloom.evaluation.subject.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from spanloom.evaluation.match.config import MatchConfig, Matcher
    from spanloom.evaluation.subject.call import Call
    from spanloom.evaluation.subject.canonical import Budget

MAX_ASKED = 4_000_000
"""How many pairs a function is asked about: those of 2,000 calls and 2,000."""
Placed: TypeAlias = tuple[int, object]
"""Position of a call in the reference, and its arguments."""


class Rule(Protocol):
    """How the arguments of one tool are compared."""

    def __call__(self, actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        """Return, for each of the actual arguments, the positions that it matches."""


def match_calls(
    actual: Sequence[Call], reference: Sequence[Call], config: MatchConfig, budget: Budget
) -> list[int]:
    """Return for each actual call the set of the reference's calls that it matches.

    Raises ``TooLargeError``.
    """
    ours: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    theirs: defaultdict[tuple[str, str], list[Placed]] = defaultdict(list)
    for at, call in enumerate(actual):
        ours[call.type, call.name].append(at)
    for at, call in enumerate(reference):
        theirs[call.type, call.name].append((at, call.arguments))
    masks = [0] * len(actual)
    for tool, places in ours.items():
        if tool in theirs:
            rule = _rule_of(tool[1], config, budget)
            found = rule([actual[at].arguments for at in places], theirs[tool])
            for at, mask in zip(places, found, strict=True):
                masks[at] = mask
    return masks


def _rule_of(tool: str, config: MatchConfig, budget: Budget) -> Rule:
    chosen = config.overrides.get(tool, config.args)
    if chosen == "exact":
        return _by_key(lambda value: canonical(value, budget))
    if chosen == "ignore":
        return _by_key(lambda _: None)
    if chosen == "subset":
        return lambda ours, theirs: masks_of_subsets(ours, theirs, budget)
    if chosen == "superset":
        return lambda ours, theirs: masks_of_supersets(ours, theirs, budget)
    if isinstance(chosen, list):
        paths = [path.split(".") for path in chosen]
        return _by_key(lambda value: tuple(canonical(at_path(value, p), budget) for p in paths))
    return _by_asking(chosen)


def at_path(value: object, path: Sequence[str]) -> object:
    """Return what is at a path of keys; ``None`` if there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _by_key(key_of: Callable[[Any], Hashable]) -> Rule:
    """Return the rule by which arguments match whose keys are equal."""

    def masks(actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        known: defaultdict[Hashable, int] = defaultdict(int)
        for at, value in reference:
            known[key_of(value)] |= 1 << at
        return [known.get(key_of(value), 0) for value in actual]

    return masks


def _by_asking(matcher: Matcher) -> Rule:
    """Return the rule of a function; it is asked about each pair."""

    def masks(actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        if len(actual) * len(reference) > MAX_ASKED:
            raise TooLargeError(f"a function would be asked about more than {MAX_ASKED:,} pairs")
        return [
            sum(1 << at for at, theirs in reference if matcher(ours, theirs)) for ours in actual
        ]

    return masks
