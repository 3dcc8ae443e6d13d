"""Chooses the runs that an experiment judges, once, when the experiment is started."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.notation import parse_ago, parse_instant
from spanloom.core.query.lists import every_line
from spanloom.core.query.selection import ANY_RUN, RunSelection, condition_of
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.core.records.run_filters import default_filters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.reading import RunReader
    from spanloom.core.query.where.tree import Condition
    from spanloom.experiments.request import ChosenRuns

PAGE = 1_000


def choose_runs(runs: RunReader, project: str, chosen: ChosenRuns, now_ns: int) -> Sequence[str]:
    """Return the trace ids of the newest matching runs; raises ``InvalidQueryError``.

    Duplicate runs and runs without steps are left out.
    """
    question = RunSelection(condition_on_runs(chosen.where, now_ns), ANY_RUN.order)
    times = {"since": chosen.since, "until": chosen.until}
    bounds = {name: _instant(name, text, now_ns) for name, text in times.items() if text}
    filters = condition_of({**default_filters(), **bounds})
    reach = Reach.only(project)
    lines = every_line(
        lambda most, after: runs.list(reach, filters, most, after, question),
        lambda run: run.cursor,
        PAGE,
    )
    return [run.key.trace_id for run in islice(lines, chosen.limit)]


def condition_on_runs(where: str, now_ns: int) -> Condition | None:
    """Return the parsed ``where``, or ``None`` if it is empty.

    Raises ``InvalidQueryError``, whose message names ``runs.where``.
    """
    if not where.strip():
        return None
    try:
        return parse_where(where, now_ns)
    except InvalidWhereError as error:
        error.parameter = "runs.where"
        raise


def _instant(name: str, text: str, now_ns: int) -> int:
    ago_ns = parse_ago(text, now_ns)
    if ago_ns is not None:
        return ago_ns
    try:
        return parse_instant(text)
    except ValueError as error:
        raise InvalidQueryError(str(error), f"runs.{name}") from error
