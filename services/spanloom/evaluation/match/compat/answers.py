"""Compares calls as the two libraries do, mode by mode.

Both pair calls greedily: a call takes the first match that is free. They differ in two points.
``agentevals`` swaps the arguments when it searches the calls of the run in the reference
(``subset``, the second half of ``unordered``). It treats a missing path as null, while
``openevals`` treats it as a mismatch.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.match.compat.messages import Read, read_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.evaluation.match.compat.messages import ReadCall
    from spanloom.evaluation.match.config import MatchConfig

    _Matcher: TypeAlias = Callable[[object, object], object]
    """Compares the arguments of two calls; the result is used as a boolean."""

_ABSENT = object()
MAX_COMPARED = 10_000_000
"""Maximum comparisons of two calls."""


def answer(actual: Sequence[object], reference: Sequence[object], config: MatchConfig) -> bool:
    """Return the boolean that the library in ``config`` returns; raises if the library does."""
    ours, theirs = read_messages(actual), read_messages(reference)
    if config.mode == "strict":
        # The libraries convert messages twice in this mode.
        return _is_strict(read_messages(ours), read_messages(theirs), config)
    mine = [call for message in ours for call in message.calls]
    due = [call for message in theirs for call in message.calls]
    is_turned = config.compat == "agentevals"
    if config.mode == "superset":
        return _has_all(mine, due, config)
    has_no_other = _has_all_turned if is_turned else _has_all_in_reference
    if config.mode == "subset":
        return has_no_other(mine, due, config)
    return _has_all(mine, due, config) and has_no_other(mine, due, config)


def _is_strict(ours: Sequence[Read], theirs: Sequence[Read], config: MatchConfig) -> bool:
    if len(ours) != len(theirs):
        return False
    for mine, due in zip(ours, theirs, strict=True):
        if mine.role != due.role or len(mine.calls) != len(due.calls):
            return False
        if not _find_each(mine.calls, due.calls, config, lambda call, other, m: m(call, other)):
            return False
    return True


def _has_all(ours: Sequence[ReadCall], theirs: Sequence[ReadCall], config: MatchConfig) -> bool:
    """Return whether each call of the reference is found in the run."""
    return _find_each(theirs, ours, config, lambda due, mine, m: m(mine, due))


def _has_all_in_reference(
    ours: Sequence[ReadCall], theirs: Sequence[ReadCall], config: MatchConfig
) -> bool:
    """Return whether each call of the run is found in the reference."""
    return _find_each(ours, theirs, config, lambda mine, due, m: m(mine, due))


def _has_all_turned(
    ours: Sequence[ReadCall], theirs: Sequence[ReadCall], config: MatchConfig
) -> bool:
    """Return whether each call of the run is found in the reference, with swapped arguments."""
    return _find_each(ours, theirs, config, lambda mine, due, m: m(due, mine))


def _find_each(
    sought: Sequence[ReadCall],
    among: Sequence[ReadCall],
    config: MatchConfig,
    matches: Callable[[object, object, _Matcher], object],
) -> bool:
    """Return whether each call has a match of its own among calls with its name.

    Raises ``TooLargeError`` for too many comparisons.
    """
    left: defaultdict[str, list[ReadCall]] = defaultdict(list)
    for other in among:
        left[_key(other)].append(other)
    compared = 0
    for call in sought:
        matcher, others = _matcher_of(call.name, config), left[_key(call)]
        found = next(
            (at for at, o in enumerate(others) if matches(call.arguments, o.arguments, matcher)),
            None,
        )
        if found is None:
            return False
        compared += found
        if compared > MAX_COMPARED:
            raise TooLargeError(f"the calls are compared more than {MAX_COMPARED:,} times")
        del others[found]
    return True


def _key(call: ReadCall) -> str:
    return call.name if isinstance(call.name, str) else repr(call.name)


def _matcher_of(tool: str, config: MatchConfig) -> _Matcher:
    chosen = config.overrides.get(tool) or config.args  # an empty list means no choice
    if isinstance(chosen, list):
        is_null = config.compat == "agentevals"
        return lambda ours, theirs: _agree_at(chosen, ours, theirs, is_null)
    return chosen if callable(chosen) else _BY_MODE[chosen]


def _agree_at(paths: Iterable[str], ours: object, theirs: object, is_null: bool) -> bool:
    """Return whether the values at paths are equal; absent values are null only if ``is_null``."""
    for path in paths:
        one, other = _at(ours, path), _at(theirs, path)
        if is_null:
            one, other = (None if value is _ABSENT else value for value in (one, other))
        if one is _ABSENT or other is _ABSENT or one != other:
            return False
    return True


def _at(value: object, path: str) -> object:
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return _ABSENT
        value = value[key]
    return value


def _is_part(part: object, whole: object) -> bool:
    """Return whether an object contains all members of another; raises for other values."""
    members = part.items()  # type: ignore[attr-defined]  # raises as the libraries do
    return all(key in whole and whole[key] == value for key, value in members)  # type: ignore[operator, index]


_BY_MODE: dict[str, _Matcher] = {
    "exact": lambda ours, theirs: ours == theirs,
    "ignore": lambda _ours, _theirs: True,
    "subset": _is_part,
    "superset": lambda ours, theirs: _is_part(theirs, ours),
}
