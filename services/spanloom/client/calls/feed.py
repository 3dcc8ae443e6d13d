"""The change feed, as a request that is polled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from spanloom.client.calls.lists import trajectories
from spanloom.client.changes import ChangePage
from spanloom.client.request import Call, get, given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.client.calls.lists import RunQuery
    from spanloom.client.errors import ClientError
    from spanloom.client.request import Reply

PATH = "/v1/trajectories/changes"


@dataclass(frozen=True, slots=True)
class Feed:
    """The filters of a change feed, and the token to begin after."""

    wanted: Mapping[str, str]
    after: str | None
    on_trouble: Callable[[ClientError], None]

    def call(self, question: Mapping[str, str | float]) -> Call[ChangePage]:
        """Return the call for one poll of the feed; the caller decides when to poll again."""
        params = {**self.wanted, **given(dict(question))}
        return Call(replace(get(PATH), params=params, is_repeatable=False), _page)


def changes(
    *,
    after: str | None = None,
    fields: str | None = None,
    on_trouble: Callable[[ClientError], None] = lambda _: None,
    **filters: Unpack[RunQuery],
) -> Feed:
    """Follow the change feed: each version of a run that passes every filter, as it is stored.

    The iterator never ends by itself. It begins after the token ``after``, with the oldest
    change that is kept if that is ``"beginning"``, else now; the ``token`` of the returned
    iterator is its position. Filters are those of ``trajectories`` and match the current state
    of a run; with ``fields="core"`` each change has the ``trajectory`` as the list shows it.
    A lost connection is made again, and ``on_trouble`` is called with the error. Raises
    ``GoneError`` if ``after`` is older than what is kept.
    """
    wanted = {**given({"fields": fields}), **trajectories(**filters).filters}
    return Feed(wanted, after, on_trouble)


def _page(reply: Reply) -> ChangePage:
    return ChangePage.model_validate_json(reply.body)
