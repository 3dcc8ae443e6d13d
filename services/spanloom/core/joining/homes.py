"""Finds which traces of a conversation are one run, and which trace shows the run: its home.

A trace with a person's prompt opens a run; later traces belong to it until another run opens.
A trace whose root is a turn (from a prompt to its answer) opens a run too, unless the prompt is in
another trace. A trace with the id of a run's prompt belongs to that run, whenever the trace began.
Traces that belong to no such run are grouped by day: traces with the same prompt id are one run,
and traces without a prompt id are split into runs at pauses.

The home of a trace depends only on the traces of a day before and after it, so that a build need
not read a conversation of years. It does not depend on the order in which the traces arrive.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.joining.parts import Part
    from spanloom.core.model.span import TraceKey

DAY_NS = 24 * 3600 * 1_000_000_000
"""Maximum length of a run; later traces belong to another run."""
PAUSE_NS = 30 * 60 * 1_000_000_000
"""If prompts are not reported, a longer pause begins another run."""
_PROMPTED = attrgetter("prompt_ns")


def find_homes(parts: Iterable[Part]) -> Mapping[TraceKey, TraceKey]:
    """Map each trace to its home, the trace that shows its run.

    ``parts`` must be all parts of one conversation, in any order.
    """
    ordered = sorted(parts, key=lambda part: (part.start_ns, part.key))
    prompted = _pair_turns(ordered)
    ordered = [_opened_by_itself(part) if part.key not in prompted else part for part in ordered]
    openers = _Openers(part for part in ordered if part.prompt_ns)
    homes = {part.key: prompted.get(part.key) or openers.home_of(part) for part in ordered}
    rest = _without_opener([part for part in ordered if homes[part.key] is None])
    return {key: home or rest[key] for key, home in homes.items()}


LATE_NS = 5_000_000_000
"""How long after the start of a turn its prompt may be recorded."""
_MAX_TRIED = 64
"""Maximum number of prompts before a turn that are compared with the turn."""


def _pair_turns(ordered: Sequence[Part]) -> Mapping[TraceKey, TraceKey]:
    """Map each trace with a turn to the trace with its prompt; each prompt has only one turn."""
    turns = [part for part in ordered if part.is_whole and not part.prompt_ns]
    prompts = sorted((p for p in ordered if p.prompt_ns and turns), key=_PROMPTED)
    found: dict[TraceKey, TraceKey] = {}
    taken: set[TraceKey] = set()
    for turn in turns:
        end = bisect_right(prompts, turn.start_ns + LATE_NS, key=_PROMPTED)
        near = (p for p in reversed(prompts[max(0, end - _MAX_TRIED) : end]) if _fits(p, turn))
        own = next((p for p in near if p.key not in taken), None)
        if own is not None:
            found[turn.key] = own.key
            taken.add(own.key)
    return found


def _fits(prompt: Part, turn: Part) -> bool:
    is_same = prompt.prompt == turn.prompt or not prompt.prompt or not turn.prompt
    return is_same and turn.start_ns - prompt.prompt_ns <= DAY_NS


def _opened_by_itself(part: Part) -> Part:
    is_turn = part.is_whole and not part.prompt_ns
    return part._replace(prompt_ns=part.start_ns) if is_turn else part


class _Openers:
    """The parts that open runs, ordered by the times of their prompts."""

    def __init__(self, openers: Iterable[Part]) -> None:
        self._all = sorted(openers, key=lambda part: (part.prompt_ns, part.key))
        self._by_prompt: defaultdict[int, list[Part]] = defaultdict(list)
        for opener in self._all:
            if opener.prompt:
                self._by_prompt[opener.prompt].append(opener)

    def home_of(self, part: Part) -> TraceKey | None:
        """Return the home of a part; ``None`` if no prompt of its run is known."""
        if part.prompt_ns:
            return part.key
        named = self._by_prompt.get(part.prompt, ())
        opener = _last_before(named, part) or _first_after(named, part)
        opener = opener or _last_before(self._all, part)
        return opener.key if opener else None


def _last_before(openers: Sequence[Part], part: Part) -> Part | None:
    n = bisect_right(openers, part.start_ns, key=_PROMPTED)
    is_near = n > 0 and part.start_ns - openers[n - 1].prompt_ns <= DAY_NS
    return openers[n - 1] if is_near else None


def _first_after(openers: Sequence[Part], part: Part) -> Part | None:
    n = bisect_right(openers, part.start_ns, key=_PROMPTED)
    is_near = n < len(openers) and openers[n].prompt_ns - part.start_ns <= DAY_NS
    return openers[n] if is_near else None


def _without_opener(ordered: Sequence[Part]) -> Mapping[TraceKey, TraceKey]:
    """Map parts without a known prompt to their homes: the first part of each group."""
    homes: dict[TraceKey, TraceKey] = {}
    firsts: dict[tuple[int, int], Part] = {}
    latest_ns = 0
    for part in ordered:
        kind = part.start_ns // DAY_NS, part.prompt
        first = firsts.get(kind)
        if first is None or (not part.prompt and part.start_ns - latest_ns > PAUSE_NS):
            first = firsts[kind] = part
        if not part.prompt:
            latest_ns = (
                max(part.end_ns, part.start_ns) if first is part else max(latest_ns, part.end_ns)
            )
        homes[part.key] = first.key
    return homes
