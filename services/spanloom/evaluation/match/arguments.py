"""Compares the arguments of calls: returns, for each call, the reference calls it matches.

A set of reference calls is a bitmask, with one bit per reference call. Equal arguments are looked
up by a key. Subset matches are found by combining, for each item in the arguments, the bitmask of
the reference calls that contain it. Comparing 10,000 calls with 10,000 reference calls takes a
fraction of a second.
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

MAX_PAIRS = 4_000_000
"""Maximum pairs of arguments that a function compares: 2,000 calls with 2,000."""
Placed: TypeAlias = tuple[int, object]
"""Position of a call in the reference, and its arguments."""


class Rule(Protocol):
    """Compares the arguments of one tool."""

    def __call__(self, actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        """Return, for each call's arguments, the bitmask of the reference calls that they match."""


def match_calls(
    actual: Sequence[Call], reference: Sequence[Call], config: MatchConfig, budget: Budget
) -> list[int]:
    """Return, for each actual call, the bitmask of the reference calls that it matches.

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
    return _by_function(chosen, budget)


def at_path(value: object, path: Sequence[str]) -> object:
    """Return the value at a path of keys; ``None`` if it is absent."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _by_key(key_of: Callable[[Any], Hashable]) -> Rule:
    """Return a rule by which arguments match if ``key_of`` returns equal keys for them."""

    def masks(actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        known: defaultdict[Hashable, int] = defaultdict(int)
        for at, value in reference:
            known[key_of(value)] |= 1 << at
        return [known.get(key_of(value), 0) for value in actual]

    return masks


def _by_function(matcher: Matcher, budget: Budget) -> Rule:
    """Return a rule that calls ``matcher`` once for each pair of distinct arguments."""

    def masks(actual: Sequence[object], reference: Sequence[Placed]) -> Sequence[int]:
        places: defaultdict[str, int] = defaultdict(int)
        due: dict[str, object] = {}
        for at, value in reference:
            key = canonical(value, budget)
            places[key] |= 1 << at
            due.setdefault(key, value)
        ours = {canonical(value, budget): value for value in actual}
        if len(ours) * len(due) > MAX_PAIRS:
            raise TooLargeError(f"a function would be called for more than {MAX_PAIRS:,} pairs")
        found = {
            key: sum(places[one] for one, theirs in due.items() if matcher(mine, theirs))
            for key, mine in ours.items()
        }
        return [found[canonical(value, budget)] for value in actual]

    return masks
