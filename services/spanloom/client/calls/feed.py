"""The feed of what changes, as what to ask again and again."""

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
    """What is followed, and from where."""

    wanted: Mapping[str, str]
    after: str | None
    on_trouble: Callable[[ClientError], None]

    def call(self, question: Mapping[str, str | float]) -> Call[ChangePage]:
        """Return what asks the feed once: whoever follows knows when to ask again."""
        params = {**self.wanted, **given(dict(question))}
        return Call(replace(get(PATH), params=params, is_repeatable=False), _page)


def changes(
    *,
    after: str | None = None,
    fields: str | None = None,
    on_trouble: Callable[[ClientError], None] = lambda _: None,
    **filters: Unpack[RunQuery],
) -> Feed:
    """Follow what changes: each version of a run that passes every filter, as it is stored.

    It never ends by itself. It begins behind the token ``after``, with all that is kept at
    ``"beginning"``, else now; ``token`` of what is returned says how far it has come. Filters
    are those of ``trajectories`` and ask what a run is now; with ``fields="core"`` each change
    has the ``trajectory`` as the list shows it. A connection that is lost is made again, and
    ``on_trouble`` told of it. Raises ``GoneError`` if ``after`` is older than what is kept.
    """
    wanted = {**given({"fields": fields}), **trajectories(**filters).filters}
    return Feed(wanted, after, on_trouble)


def _page(reply: Reply) -> ChangePage:
    return ChangePage.model_validate_json(reply.body)
