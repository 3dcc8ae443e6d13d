"""Lists: which runs or conversations are asked for, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from spanloom.client.calls.walks import Documents, Listing
from spanloom.client.models import ConversationSummary
from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import given, or_any, segment
from spanloom.core.records import run_filters
from spanloom.core.records.run import Run
from spanloom.core.records.step import StepRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.client.moments import Moment


class RunFilters(run_filters.RunFilters, total=False):
    """Which runs are wanted, as ``Client.trajectories`` takes it."""

    project: str | None


class RunQuery(RunFilters, total=False):
    """The same with a query, for what takes it by name."""

    where: str | None


def trajectories(
    where: str | None = None,
    *,
    words: str | None = None,
    order: str | None = None,
    limit: int | None = None,
    **filters: Unpack[RunFilters],
) -> Listing[Run]:
    """Give runs that pass every filter, newest first, page by page as they are needed.

    ``where`` is a query, ``words`` are what a step said, as in ``search``, ``order`` is another
    order: ``"-duration"``; all three are the service's to read. Filters are short spellings of a
    ``where``, with the names of its fields: ``agent="planner"``.
    ``limit`` is the most to give, all by default. ``since`` is the earliest start and
    ``until`` the first one too late: ``"2h"`` ago, a date, a ``datetime`` or milliseconds.
    Runs that only repeat another are left out, unless ``duplicate`` is ``True`` (those
    alone) or ``None`` (those too).
    """
    asked = {"where": where, "q": words, "order": order}
    params = given({**asked, **written({"duplicate": False, **filters})})
    return Listing("/v1/trajectories", params, limit, Run, has_arrow=True)


def written(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters as parameters: times in milliseconds, ``any`` for ``duplicate=None``.

    Raises ``TypeError`` for a name that is no filter, as Python does where names are written out.
    """
    if unknown := filters.keys() - {"project", *run_filters.run_shorts()}:
        raise TypeError(f"got an unexpected keyword argument {min(unknown)!r}")
    times = {name: milliseconds_or_none(filters.get(name)) for name in ("since", "until")}
    repeats = {"duplicate": or_any(filters["duplicate"])} if "duplicate" in filters else {}
    return {**filters, **times, **repeats}


def steps(
    where: str | None = None,
    *,
    run_where: str | None = None,
    limit: int | None = None,
    **filters: Unpack[RunFilters],
) -> Listing[StepRow]:
    """Give steps as rows, those of the newest run first, page by page as they are needed.

    ``where`` says which steps, ``run_where`` of which runs; the filters are those of
    ``trajectories``. ::

        client.steps("type = tool and error", since="7d").to_polars()
    """
    of_runs = trajectories(None, **filters).filters
    asked = given({"where": where, "run_where": run_where})
    return Listing("/v1/steps", {**asked, **of_runs}, limit, StepRow, has_arrow=True)


def conversations(
    *,
    limit: int | None = None,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    service: str | None = None,
    environment: str | None = None,
    user: str | None = None,
) -> Listing[ConversationSummary]:
    """Give conversations in which a run passes every filter, by their newest such run."""
    asked = {"project": project, "service": service, "environment": environment, "user": user}
    params = given(written({**asked, "since": since, "until": until}))
    return Listing("/v1/conversations", params, limit, ConversationSummary)


def conversation(
    conversation_id: str,
    *,
    project: str | None = None,
    limit: int | None = None,
    duplicate: bool | None = False,
    has_steps: bool | None = None,
) -> Listing[Run]:
    """Give the runs of a conversation, oldest first, page by page as they are needed."""
    path = f"/v1/conversations/{segment(conversation_id)}"
    params = given(written({"project": project, "duplicate": duplicate, "has_steps": has_steps}))
    return Listing(path, params, limit, Run)


def documents(
    where: str | None = None,
    *,
    words: str | None = None,
    order: str | None = None,
    limit: int | None = None,
    **filters: Unpack[RunFilters],
) -> Documents:
    """Give the documents of runs that pass every filter, one after the other.

    At any moment one document and one page of the list are held. A run that is deleted meanwhile
    is left out, as is what has no step unless ``has_steps`` is ``None``. The filters are those of
    ``trajectories``.
    """
    filters = {"has_steps": True, **filters}
    return Documents(trajectories(where, words=words, order=order, limit=limit, **filters))
