"""Calls that list and store scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import orjson

from spanloom.client.calls.walks import Listing
from spanloom.client.request import JSON, OK, Call, Request, as_object, given
from spanloom.core.records.score import ScoreItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ACCEPTED = 202
MOST = 1_000
"""Scores per page."""


class ScoreFilters(TypedDict, total=False):
    """Filters of scores, with the parameter names of ``GET /v1/scores``."""

    project: str | None
    trace_ids: Sequence[str]
    name: str | None
    sources: Sequence[str]
    author: str | None
    target: str | None
    """``trajectory``, ``step``, ``span``, ``conversation`` or ``item``."""
    experiment: str | None
    item: str | None
    orphan: bool
    """Only scores whose run has not arrived within 7 days."""


def scores(*, limit: int | None = None, **filters: Unpack[ScoreFilters]) -> Listing[ScoreItem]:
    """Return current scores, by project, trace and id, including the scores of annotators.

    The filters are ``ScoreFilters``. ``target`` is ``trajectory``, ``step``, ``span``,
    ``conversation`` or ``item``. ``orphan`` selects scores whose run has not arrived within 7 days.
    """
    return Listing("/v1/scores", _params(**filters), limit, ScoreItem)


def score_page(
    *, cursor: str | None = None, **filters: Unpack[ScoreFilters]
) -> Call[Mapping[str, Any]]:
    """Return a page of current scores as JSON: ``items``, ``withheld``, ``next_cursor``."""
    paged = {**_params(**filters), **given({"limit": MOST, "cursor": cursor})}
    return Call(Request("GET", "/v1/scores", paged), as_object)


def score_table(media_type: str, **filters: Unpack[ScoreFilters]) -> Call[bytes]:
    """Return all current scores as JSON lines or as a table: CSV, Arrow or Parquet."""
    accept = {"accept": media_type}
    request = Request("GET", "/v1/scores", _params(**filters), accept, media_type=media_type)
    return Call(request, lambda reply: reply.body)


def write_scores(
    items: Sequence[Mapping[str, Any]], *, project: str | None = None
) -> Call[Mapping[str, Any]]:
    """Store up to 10,000 scores; their runs may arrive later."""
    request = Request(
        "POST",
        "/v1/scores",
        given({"project": project}),
        {"content-type": JSON},
        orjson.dumps({"items": items}),
        expected=frozenset({OK, ACCEPTED}),
    )
    return Call(request, as_object)


def _params(
    *,
    trace_ids: Sequence[str] = (),
    sources: Sequence[str] = (),
    orphan: bool = False,
    project: str | None = None,
    name: str | None = None,
    author: str | None = None,
    target: str | None = None,
    experiment: str | None = None,
    item: str | None = None,
) -> Mapping[str, Any]:  # lists are sent as repeated parameters
    plain: dict[str, str | float | bool | None] = {
        "project": project,
        "name": name,
        "author": author,
        "target": target,
        "experiment": experiment,
        "item": item,
        "orphan": orphan or None,
    }
    several = {"trace_id": list(trace_ids), "source": list(sources)}
    return {**given(plain), **{key: values for key, values in several.items() if values}}
