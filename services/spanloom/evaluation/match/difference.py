"""Finds the first difference between a run and its reference, with a function for each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.match.order import common_prefix, matched_in_order
from spanloom.evaluation.match.words import described, difference_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.evaluation.match.compared import Compared


class Difference(NamedTuple):
    """Why a run does not match."""

    words: str
    calls: Sequence[int]
    """The positions of the actual calls that differ."""


def exact(compared: Compared) -> Difference | None:
    """Return the first difference between calls at the same position; ``None`` if there is none."""
    ours, theirs = compared.actual, compared.reference
    at = common_prefix(compared.masks)
    if at == len(ours) == len(theirs):
        return None
    differing = [
        n for n, mask in enumerate(compared.masks) if n >= len(theirs) or not mask >> n & 1
    ]
    if len(ours) != len(theirs):  # later calls are only shifted
        differing = list(compared.extra) or differing
    if at == len(theirs):
        return Difference(f"call {at + 1}, {described(ours[at])}, is one too many", differing)
    if at == len(ours):
        return Difference(f"call {at + 1}, {described(theirs[at])}, is missing", differing)
    words = f"call {at + 1} {difference_of(ours[at], theirs[at])}"
    return Difference(words, differing or [at])


def in_order(compared: Compared) -> Difference | None:
    """Return a difference unless all calls of the reference appear in its order.

    Other calls may be in between.
    """
    matched = matched_in_order(compared.masks, len(compared.reference))
    if matched == len(compared.reference):
        return None
    matching = [at for at, mask in enumerate(compared.masks) if mask >> matched & 1]
    if not matching:
        return _missing(compared, matched)
    call = described(compared.reference[matched])
    before = described(compared.reference[matched - 1])
    return Difference(f"{call} does not come after {before}", matching)


def unordered(compared: Compared) -> Difference | None:
    """Return a difference if a call of the run or of the reference has no partner."""
    missing, extra = superset(compared), subset(compared)
    if missing is None or extra is None:
        return missing or extra
    return Difference(missing.words, extra.calls)


def subset(compared: Compared) -> Difference | None:
    """Return a difference if a call of the run has no partner in the reference."""
    if not compared.extra:
        return None
    call = compared.actual[compared.extra[0]]
    same = [compared.reference[at] for at in compared.missing]
    alike = next((other for other in same if other.name == call.name), None)
    if alike is not None:
        return Difference(
            f"call {compared.extra[0] + 1} {difference_of(call, alike)}", compared.extra
        )
    words = f"call {compared.extra[0] + 1}, {described(call)}, is not in the reference"
    return Difference(words, compared.extra)


def superset(compared: Compared) -> Difference | None:
    """Return a difference if a call of the reference has no partner in the run."""
    return _missing(compared, compared.missing[0]) if compared.missing else None


def _missing(compared: Compared, at: int) -> Difference:
    """Return the difference for the reference call at ``at``, which no call of the run matches.

    If the run has other unmatched calls of this tool, they are the evidence.
    """
    call = compared.reference[at]
    alike = [n for n in compared.extra if compared.actual[n].name == call.name]
    if alike:
        ours = compared.actual[alike[0]]
        return Difference(f"call {alike[0] + 1} {difference_of(ours, call)}", alike)
    return Difference(f"{described(call)} of the reference is missing", [])


LISTS: Mapping[str, Callable[[Compared], Difference | None]] = {
    "exact": exact,
    "in_order": in_order,
    "unordered": unordered,
    "subset": subset,
    "superset": superset,
}
"""The comparison function of each mode; it returns ``None`` if the calls match."""
