"""The first difference of a run and a reference in each mode, and the calls that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.match.order import common_prefix, found_in_order
from spanloom.evaluation.match.words import described, told_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.evaluation.match.compared import Compared


class Difference(NamedTuple):
    """Why a run does not match."""

    words: str
    calls: Sequence[int]
    """The positions of the actual calls that differ."""


def exact(compared: Compared) -> Difference | None:
    """Compare position by position."""
    ours, theirs = compared.actual, compared.reference
    at = common_prefix(compared.masks)
    if at == len(ours) == len(theirs):
        return None
    differing = [
        n for n, mask in enumerate(compared.masks) if n >= len(theirs) or not mask >> n & 1
    ]
    if len(ours) != len(theirs):  # later calls are where they should be, but for the shift
        differing = list(compared.extra) or differing
    if at == len(theirs):
        return Difference(f"call {at + 1}, {described(ours[at])}, is one too many", differing)
    if at == len(ours):
        return Difference(f"call {at + 1}, {described(theirs[at])}, is missing", differing)
    words = f"call {at + 1} {told_apart(ours[at], theirs[at])}"
    return Difference(words, differing or [at])


def in_order(compared: Compared) -> Difference | None:
    """Look for the reference in the calls, in its order, with others in between."""
    found = found_in_order(compared.masks, len(compared.reference))
    if found == len(compared.reference):
        return None
    matching = [at for at, mask in enumerate(compared.masks) if mask >> found & 1]
    if not matching:
        return _missing(compared, found)
    call = described(compared.reference[found])
    before = described(compared.reference[found - 1])
    return Difference(f"{call} does not come after {before}", matching)


def unordered(compared: Compared) -> Difference | None:
    """Look for a partner of each call on both sides."""
    missing, extra = superset(compared), subset(compared)
    if missing is None or extra is None:
        return missing or extra
    return Difference(missing.words, extra.calls)


def subset(compared: Compared) -> Difference | None:
    """Look for a partner of each actual call."""
    if not compared.extra:
        return None
    call = compared.actual[compared.extra[0]]
    same = [compared.reference[at] for at in compared.missing]
    alike = next((other for other in same if other.name == call.name), None)
    if alike is not None:
        return Difference(f"call {compared.extra[0] + 1} {told_apart(call, alike)}", compared.extra)
    words = f"call {compared.extra[0] + 1}, {described(call)}, is not in the reference"
    return Difference(words, compared.extra)


def superset(compared: Compared) -> Difference | None:
    """Look for a partner of each call of the reference."""
    return _missing(compared, compared.missing[0]) if compared.missing else None


def _missing(compared: Compared, at: int) -> Difference:
    """Return that a call of the reference is missing; calls of its tool are the evidence."""
    call = compared.reference[at]
    alike = [n for n in compared.extra if compared.actual[n].name == call.name]
    if alike:
        ours = compared.actual[alike[0]]
        return Difference(f"call {alike[0] + 1} {told_apart(ours, call)}", alike)
    return Difference(f"{described(call)} of the reference is missing", [])


LISTS: Mapping[str, Callable[[Compared], Difference | None]] = {
    "exact": exact,
    "in_order": in_order,
    "unordered": unordered,
    "subset": subset,
    "superset": superset,
}
"""What compares two lists of calls, by mode; ``None`` if they match."""
