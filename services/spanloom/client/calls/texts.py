"""The call that searches the texts of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.client.calls.walks import Listing
from spanloom.client.moments import milliseconds_or_none
from spanloom.client.request import given
from spanloom.core.records.hit import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.client.moments import Moment

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
