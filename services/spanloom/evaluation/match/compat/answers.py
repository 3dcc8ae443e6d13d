"""How the two libraries compare calls, mode by mode.

Both pair first fit: a call takes the first that is left. Where they differ: ``agentevals`` turns
the arguments around where the reference is searched in the run (``subset``, the second half of
``unordered``), and takes a missing path for null, where ``openevals`` has no match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.evaluation.match.compat.messages import Read, read_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.evaluation.match.compat.messages import AskedCall
    from spanloom.evaluation.match.config import MatchConfig

    _Matcher: TypeAlias = Callable[[object, object], object]
    """Compares the arguments of two calls; its answer counts as true or false."""

_ABSENT = object()


def answer(actual: Sequence[object], reference: Sequence[object], config: MatchConfig) -> bool:
    """Return a library's answer; raises where it does."""
    ours, theirs = read_messages(actual), read_messages(reference)
    if config.mode == "strict":
        # Strict reads what it has read once more.
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


def _has_all(ours: Sequence[AskedCall], theirs: Sequence[AskedCall], config: MatchConfig) -> bool:
    """Return whether each call of the reference is found in the run."""
    return _find_each(theirs, ours, config, lambda due, mine, m: m(mine, due))


def _has_all_in_reference(
    ours: Sequence[AskedCall], theirs: Sequence[AskedCall], config: MatchConfig
) -> bool:
    """Return whether each call of the run is found in the reference."""
    return _find_each(ours, theirs, config, lambda mine, due, m: m(mine, due))


def _has_all_turned(
    ours: Sequence[AskedCall], theirs: Sequence[AskedCall], config: MatchConfig
) -> bool:
    """Return the same, with the arguments in the places of one another."""
    return _find_each(ours, theirs, config, lambda mine, due, m: m(due, mine))


def _find_each(
    sought: Sequence[AskedCall],
    among: Sequence[AskedCall],
    config: MatchConfig,
    ask: Callable[[object, object, _Matcher], object],
) -> bool:
    """Return whether each call finds another of its name that none before it has taken."""
    taken: set[int] = set()
    for call in sought:
        matcher = _matcher_of(call.name, config)
        free = (
            at
            for at, other in enumerate(among)
            if at not in taken
            and other.name == call.name
            and ask(call.arguments, other.arguments, matcher)
        )
        found = next(free, None)
        if found is None:
            return False
        taken.add(found)
    return True


def _matcher_of(tool: str, config: MatchConfig) -> _Matcher:
    chosen = config.overrides.get(tool) or config.args  # an empty list is no choice
    if isinstance(chosen, list):
        is_null = config.compat == "agentevals"
        return lambda ours, theirs: _agree_at(chosen, ours, theirs, is_null)
    return chosen if callable(chosen) else _BY_MODE[chosen]


def _agree_at(paths: Iterable[str], ours: object, theirs: object, is_null: bool) -> bool:
    """Compare what is at paths; what is absent is null, or else agrees with nothing."""
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
    """Return whether members are among others; raises for what is no object."""
    members = part.items()  # type: ignore[attr-defined]  # raises as theirs does
    return all(key in whole and whole[key] == value for key, value in members)  # type: ignore[operator, index]


_BY_MODE: dict[str, _Matcher] = {
    "exact": lambda ours, theirs: ours == theirs,
    "ignore": lambda _ours, _theirs: True,
    "subset": _is_part,
    "superset": lambda ours, theirs: _is_part(theirs, ours),
}
