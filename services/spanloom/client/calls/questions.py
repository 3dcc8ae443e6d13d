"""Calls for statistics, and for the fields and values that a query can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import Call, get, given, given_members, segment, typed, with_json
from spanloom.core.records.field import FieldList, Stats, ValueList
from spanloom.evaluation.comparison.result import Behaviour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.client.moments import Moment


def stats(
    metrics: str = "count",
    *,
    of: str = "trajectories",
    by: Sequence[str] | str = (),
    interval: str | None = None,
    timezone: str | None = None,
    top: int | None = None,
    where: str | None = None,
    run_where: str | None = None,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Call[Stats]:
    """Return metrics of runs, or with ``of="steps"`` of steps: ``"count,p95(duration)"``.

    ``by`` names up to three fields to group by; ``interval`` (``"1h"``) groups by time, in the time
    zone ``timezone`` (``"Europe/Berlin"``). ``where`` selects the runs; with ``of="steps"`` it
    selects the steps and ``run_where`` their runs.
    """
    request = get(
        "/v1/stats",
        metrics=metrics,
        of=of,
        by=(by if isinstance(by, str) else ",".join(by)) or None,
        interval=interval,
        timezone=timezone,
        top=top,
        where=where,
        run_where=run_where,
        project=project,
        since=milliseconds_or_none(since),
        until=milliseconds_or_none(until),
    )
    return typed(request, Stats)


def compare(
    a: str,
    b: str,
    *,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    min_support: int | None = None,
    seed: str | None = None,
) -> Call[Behaviour]:
    """Return what changed in the behaviour of agents from the runs of ``a`` to the runs of ``b``.

    ``a`` and ``b`` are ``where`` queries; project and times apply to both sets. A feature is
    compared if at least ``min_support`` runs of one set have it; ``seed`` seeds the random draws.
    """
    times = {"since": milliseconds_or_none(since), "until": milliseconds_or_none(until)}
    both = given({"project": project, **times})
    options = given_members(seed=seed, min_support=min_support)
    body = {"a": {"where": a, **both}, "b": {"where": b, **both}, **options}
    return typed(with_json("POST", "/v1/compare", body), Behaviour)


def fields() -> Call[FieldList]:
    """Return every field that a ``where`` can name, of runs and of steps."""
    return typed(get("/v1/fields"), FieldList)


def field_values(
    name: str,
    *,
    of: str = "trajectories",
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    limit: int | None = None,
) -> Call[ValueList]:
    """Return the values of a field, the most frequent first."""
    request = get(
        f"/v1/fields/{segment(name)}/values",
        of=of,
        project=project,
        since=milliseconds_or_none(since),
        until=milliseconds_or_none(until),
        limit=limit,
    )
    return typed(request, ValueList)
