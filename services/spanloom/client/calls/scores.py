"""Calls that list and store scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.client.calls.walks import Listing
from spanloom.client.request import JSON, OK, Call, Reply, Request, given
from spanloom.core.records.score import ScoreItem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ACCEPTED = 202
MOST = 1_000
"""Scores per page."""


def scores(
    *,
    limit: int | None = None,
    project: str | None = None,
    trace_ids: Sequence[str] = (),
    name: str | None = None,
    sources: Sequence[str] = (),
    author: str | None = None,
    target: str | None = None,
    orphan: bool = False,
) -> Listing[ScoreItem]:
    """Return current scores, by project, trace and id; the marks of annotators are among them.

    ``target`` is ``trajectory``, ``step``, ``span``, ``conversation`` or ``item``. ``orphan``
    selects those whose run has not come for 7 days.
    """
    filters = _filters(project, trace_ids, name, sources, author, target, orphan=orphan)
    return Listing("/v1/scores", filters, limit, ScoreItem)


def score_page(
    *,
    project: str | None = None,
    trace_ids: Sequence[str] = (),
    name: str | None = None,
    sources: Sequence[str] = (),
    author: str | None = None,
    target: str | None = None,
    orphan: bool = False,
    cursor: str | None = None,
) -> Call[Mapping[str, Any]]:
    """Return a page of current scores as JSON: ``items``, ``withheld``, ``next_cursor``."""
    filters = _filters(project, trace_ids, name, sources, author, target, orphan=orphan)
    paged = {**filters, **given({"limit": MOST, "cursor": cursor})}
    return Call(Request("GET", "/v1/scores", paged), _read)


def score_table(
    media_type: str,
    *,
    project: str | None = None,
    trace_ids: Sequence[str] = (),
    name: str | None = None,
    sources: Sequence[str] = (),
    author: str | None = None,
    target: str | None = None,
    orphan: bool = False,
) -> Call[bytes]:
    """Return all current scores as lines of JSON or a table: CSV, Arrow or Parquet."""
    filters = _filters(project, trace_ids, name, sources, author, target, orphan=orphan)
    request = Request("GET", "/v1/scores", filters, {"accept": media_type}, media_type=media_type)
    return Call(request, lambda reply: reply.body)


def write_scores(
    items: Sequence[Mapping[str, Any]], *, project: str | None = None
) -> Call[Mapping[str, Any]]:
    """Store up to 10,000 scores; one of a run that is not there yet waits for it."""
    request = Request(
        "POST",
        "/v1/scores",
        given({"project": project}),
        {"content-type": JSON},
        orjson.dumps({"items": items}),
        expected=frozenset({OK, ACCEPTED}),
    )
    return Call(request, _read)


def _filters(
    project: str | None,
    trace_ids: Sequence[str],
    name: str | None,
    sources: Sequence[str],
    author: str | None,
    target: str | None,
    *,
    orphan: bool,
) -> Mapping[str, Any]:  # lists are sent as repeated parameters
    plain = given(
        {
            "project": project,
            "name": name,
            "author": author,
            "target": target,
            "orphan": orphan or None,
        }
    )
    several = {"trace_id": list(trace_ids), "source": list(sources)}
    return {**plain, **{key: values for key, values in several.items() if values}}


def _read(reply: Reply) -> Mapping[str, Any]:
    found: dict[str, Any] = orjson.loads(reply.body)
    return found
