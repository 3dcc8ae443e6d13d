"""Compares the totals that a source reports with the sums over its steps.

A source may have added durations with a finer resolution, so a reported total that exceeds the
computed sum by less than a millisecond per call replaces the sum. Any other difference is counted
as a loss, and the computed sum stays.
"""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from spanloom.core.document import Document, whole
from spanloom.core.formats.losses import Code

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_ROUNDED = 0.005
"""Permitted difference of rates, which the source may have rounded to two digits."""
_DURATIONS = frozenset({"llm_duration", "tool_duration"})
_RATES = frozenset({"tool_error_rate", "model_error_rate", "tool_step_proportion"})
_ERRORS = frozenset({"tool_errors", "model_errors"})


def settle_totals(document: Json, stated: Iterable[tuple[str, str, Json]], losses: Losses) -> None:
    """Complete the totals in a new document with those in the source; count contradictions.

    ``stated`` yields the id, path and totals of each agent; for the run the id is empty.
    """
    view = Document(document)
    agents = {agent.id: agent for agent in view.agents}
    calls_of_run = sum(len(agent.json["steps"]) for agent in agents.values())
    for id_, where, totals in stated:
        known = agents.get(id_, None if id_ else view.root)
        computed = {} if known is None else known.json["metrics_info"]
        calls = len(agents[id_].json["steps"]) if id_ in agents else calls_of_run
        for name, value in totals.items():
            if name in computed and not _agree(name, value, computed[name]):
                if name in _DURATIONS and 0 < whole(value) - whole(computed[name]) < calls:
                    computed[name] = str(whole(value))
                else:
                    losses.note(Code.METRICS_RECOMPUTED, f"{where}.metrics_info.{name}")


def _agree(name: str, theirs: object, ours: object) -> bool:
    if theirs is None or theirs == "":
        return True
    if name in _ERRORS:
        return _counts(theirs) == _counts(ours)
    try:
        pair = float(theirs), float(ours)  # type: ignore[arg-type]  # whatever the source has
    except (TypeError, ValueError, OverflowError):
        return False
    return isclose(*pair, rel_tol=1e-9, abs_tol=_ROUNDED if name in _RATES else 0)


def _counts(errors: object) -> dict[str, int] | None:
    """Return the number of steps per error code; -1 for a code whose value is not a list.

    The result is ``None`` if ``errors`` is not an object.
    """
    if not isinstance(errors, dict):
        return None
    return {str(code): len(ids) if isinstance(ids, list) else -1 for code, ids in errors.items()}
