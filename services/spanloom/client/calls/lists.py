"""Calls that list runs, steps, conversations, documents, texts or changes, by page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from spanloom.client.calls.walks import Documents, Listing
from spanloom.client.changes import ChangePage
from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import Call, get, given, or_any, segment
from spanloom.core.records import run_filters
from spanloom.core.records.conversation import ConversationItem
from spanloom.core.records.hit import Hit
from spanloom.core.records.run import Run
from spanloom.core.records.step import StepRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.client.errors import ClientError
    from spanloom.client.moments import Moment
    from spanloom.client.request import Reply


class RunFilters(run_filters.RunFilters, total=False):
    """The filters of runs that ``Client.trajectories`` accepts as keyword arguments."""

    project: str | None


class RunQuery(RunFilters, total=False):
    """The filters of ``RunFilters`` and ``where``, for functions that accept both by keyword."""

    where: str | None


def trajectories(
    where: str | None = None,
    *,
    words: str | None = None,
    order: str | None = None,
    limit: int | None = None,
    **filters: Unpack[RunFilters],
) -> Listing[Run]:
    """Return runs that pass every filter, newest first, page by page as they are needed.

    ``where`` is a query, ``words`` searches the texts of steps, as in ``search``, ``order`` is
    another order: ``"-duration"``; the service parses all three. Filters are short spellings of
    a ``where``, with the names of its fields: ``agent="planner"``.
    ``limit`` is the maximum number of runs, by default all. ``since`` is the earliest start
    (inclusive), ``until`` the latest (exclusive): ``"2h"`` ago, a date, a ``datetime`` or
    milliseconds. Duplicates of other runs are left out, unless ``duplicate`` is ``True`` (only
    duplicates) or ``None`` (duplicates too); so are runs without a step, for example the trace of
    an agent's construction, unless ``has_steps`` is ``False`` or ``None``, or ``duplicate`` is
    ``None``.
    """
    query = {"where": where, "q": words, "order": order}
    params = given({**query, **written({"duplicate": False, **filters})})
    return Listing("/v1/trajectories", params, limit, Run, has_arrow=True)


def written(filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters as query parameters, with times in ms.

    A filter whose default is not ``None`` gets the value ``any`` for ``None``. Raises ``TypeError``
    for an unknown filter, as Python does for an unknown keyword argument.
    """
    if unknown := filters.keys() - {"project", *run_filters.run_shorts()}:
        raise TypeError(f"got an unexpected keyword argument {min(unknown)!r}")
    times = {name: milliseconds_or_none(filters.get(name)) for name in ("since", "until")}
    shorts = run_filters.run_shorts()
    named = {
        n: or_any(v) for n, v in filters.items() if n in shorts and shorts[n].default is not None
    }
    return {**filters, **times, **named}


def steps(
    where: str | None = None,
    *,
    run_where: str | None = None,
    order: str | None = None,
    limit: int | None = None,
    **filters: Unpack[RunFilters],
) -> Listing[StepRow]:
    """Return steps as rows, steps of the newest run first, page by page as they are needed.

    ``where`` selects the steps, ``run_where`` their runs; the filters are the same as for
    ``trajectories``. ``order`` sets another order: ``"-duration"`` puts the longest first; steps
    without a value come last. ::

        client.steps("type = tool and error", since="7d").to_polars()
    """
    of_runs = trajectories(None, **filters).filters
    query = given({"where": where, "run_where": run_where, "order": order})
    return Listing("/v1/steps", {**query, **of_runs}, limit, StepRow, has_arrow=True)


def conversations(
    *,
    limit: int | None = None,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    service: str | None = None,
    environment: str | None = None,
    user: str | None = None,
) -> Listing[ConversationItem]:
    """Return conversations in which a run passes every filter, ordered by their newest such run."""
    exact = {"project": project, "service": service, "environment": environment, "user": user}
    params = given(written({**exact, "since": since, "until": until}))
    return Listing("/v1/conversations", params, limit, ConversationItem)


def conversation(
    conversation_id: str,
    *,
    project: str | None = None,
    limit: int | None = None,
    duplicate: bool | None = False,
    has_steps: bool | None = True,
) -> Listing[Run]:
    """Return the runs of a conversation, oldest first, page by page as they are needed."""
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
    """Return the documents of runs that pass every filter, one after the other.

    Memory holds one document and one page of the list at a time. Runs deleted meanwhile are
    left out, as are runs without a step unless ``has_steps`` is ``None``. The filters are the same
    as for ``trajectories``.
    """
    filters = {"has_steps": True, **filters}
    return Documents(trajectories(where, words=words, order=order, limit=limit, **filters))


PAGE_HITS = 200
"""The maximum number of hits in a response of the API."""


def search(
    words: str,
    *,
    parts: Sequence[str] = (),
    limit: int | None = None,
    project: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> Listing[Hit]:
    """Return texts that have every word and ``"phrase"``, newest run first (docs/search.md).

    ``parts`` are ``input``, ``output`` and ``error``; by default all. ``since`` and ``until``
    bound the start of the runs, as in ``trajectories``.
    """
    filters = given(
        {
            "q": words,
            "in": ",".join(parts) or None,
            "project": project,
            "since": milliseconds_or_none(since),
            "until": milliseconds_or_none(until),
        }
    )
    return Listing("/v1/search", filters, limit, Hit, PAGE_HITS)


PATH = "/v1/trajectories/changes"


@dataclass(frozen=True, slots=True)
class Feed:
    """The filters of a change feed, and the token after which it begins."""

    filters: Mapping[str, str]
    after: str | None
    on_trouble: Callable[[ClientError], None]

    def call(self, position: Mapping[str, str | float]) -> Call[ChangePage]:
        """Return the call for one poll of the feed; the caller decides when to poll again."""
        params = {**self.filters, **given(dict(position))}
        return Call(replace(get(PATH), params=params, is_repeatable=False), _page)


def changes(
    *,
    after: str | None = None,
    fields: str | None = None,
    on_trouble: Callable[[ClientError], None] = lambda _: None,
    **filters: Unpack[RunQuery],
) -> Feed:
    """Follow the change feed: each version of a run that passes every filter, as it is stored.

    The iterator never ends by itself. It begins after the token ``after``; with ``"beginning"``, at
    the oldest stored change; by default, now. The ``token`` of the returned iterator is its
    position. Filters are the same as for ``trajectories`` and match the current state of a run.
    With ``fields="core"`` each change has a ``trajectory``: the run's row in the list of runs. If
    the connection is lost, ``on_trouble`` is called with the error and the client connects again.
    Raises ``GoneError`` if ``after`` is older than the oldest stored change.
    """
    params = {**given({"fields": fields}), **trajectories(**filters).filters}
    return Feed(params, after, on_trouble)


def _page(reply: Reply) -> ChangePage:
    return ChangePage.model_validate_json(reply.body)
