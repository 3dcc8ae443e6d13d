"""Calls that are reported in two traces, whichever of the two is extracted first.

A bare call that is built looks for the stored call it repeats; a call that is built looks for
stored bare traces that repeat it, so that those are built again.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.extraction.reports.duplicates import find_original
from spanloom.core.extraction.reports.repeated_runs import find_original_run, group_by_trace
from spanloom.core.model.trajectory import DuplicateOf
from spanloom.core.ports.building import CallWindow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import CallFinder, ModelCall

    Runs: TypeAlias = Mapping[TraceKey, Sequence[ModelCall]]


@dataclass(frozen=True, slots=True)
class Repeats:
    """What a batch repeats, and what repeats the batch."""

    originals: dict[TraceKey, DuplicateOf] = field(default_factory=dict)
    """Traces of the batch that only repeat a call of another trace."""
    stored: list[TraceKey] = field(default_factory=list)
    """Stored traces that repeat a call of the batch."""


def find_repeats(store: CallFinder, built: Mapping[TraceKey, Sequence[ModelCall]]) -> Repeats:
    """Compare the model calls of the traces just built with each other and with the store's."""
    repeats = Repeats()
    by_project: defaultdict[str, list[ModelCall]] = defaultdict(list)
    for calls in built.values():
        for call in calls:
            by_project[call.key.project].append(call)
    for project, own in by_project.items():
        stored = [c for c in _load(store, project, own) if c.key not in built]
        _compare(own, stored, repeats)
    return repeats


def _compare(own: Sequence[ModelCall], stored: Sequence[ModelCall], repeats: Repeats) -> None:
    own_by_content, all_by_content = _by_content(own), _by_content((*own, *stored))
    for call in own:
        if (original := find_original(call, all_by_content[call.call_key])) is not None:
            repeats.originals[call.key] = DuplicateOf(original.key.trace_id, original.step_id)
    for call in stored:
        if find_original(call, own_by_content.get(call.call_key, ())) is not None:
            repeats.stored.append(call.key)
    _compare_runs(group_by_trace(own), group_by_trace(stored), repeats)


def _compare_runs(own: Runs, stored: Runs, repeats: Repeats) -> None:
    """Compare each run with those that have a call in common with it."""
    every = {**own, **stored}
    by_content: defaultdict[str, dict[TraceKey, None]] = defaultdict(dict)
    for key, calls in every.items():
        for call in calls:
            by_content[call.call_key][key] = None
    for key, calls in every.items():
        alike = {other: every[other] for call in calls[:1] for other in by_content[call.call_key]}
        if key in stored:
            alike = {other: calls for other, calls in alike.items() if other in own}
        if (original := find_original_run(calls, alike.values())) is None:
            continue
        if key in stored:
            repeats.stored.append(key)
        else:
            repeats.originals[key] = DuplicateOf(original.key.trace_id, original.step_id)


def _by_content(calls: Iterable[ModelCall]) -> Mapping[str, Sequence[ModelCall]]:
    found: defaultdict[str, list[ModelCall]] = defaultdict(list)
    for call in calls:
        found[call.call_key].append(call)
    return found


def _load(store: CallFinder, project: str, own: Sequence[ModelCall]) -> Sequence[ModelCall]:
    windows = [CallWindow(call.call_key, call.start_ns, call.end_ns) for call in own]
    return store.find_calls(project, windows)
