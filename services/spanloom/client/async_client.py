"""The asyncio client: the same methods and results as ``Client``, awaited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from spanloom.client.address import find_address
from spanloom.client.answers import reading_from
from spanloom.client.calls import annotations as said
from spanloom.client.calls import diffs, feed, lists, questions, runs, texts, upkeep
from spanloom.client.changes import WAIT_S, AsyncChanges
from spanloom.client.found import AsyncFound, AsyncRuns, AsyncTable
from spanloom.client.method import Method
from spanloom.client.transport import AsyncTransport
from spanloom.client.tries import Patience

if TYPE_CHECKING:
    import httpx

    from spanloom.client.request import AnswerT, Call


class AsyncClient:
    """The API of one service, for one event loop of asyncio.

    ```python
    async with AsyncClient("http://traces.internal:8080") as client:
        async for run in client.trajectories(since="2h", has_error=True):
            print((await client.trajectory(run.trace_id)).steps)
    ```

    Every method raises ``ClientError``: ``UnreachableError``, ``NotFoundError`` and so on.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        timeout_s: float = Patience.timeout_s,
        deadline_s: float = Patience.deadline_s,
        tries: int = Patience.tries,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Create a client without connecting. The arguments are those of ``Client``."""
        address = find_address(url, api_key)
        self.transport = AsyncTransport(address, Patience(timeout_s, deadline_s, tries), transport)
        self.url, self._timeout_s = address.url, timeout_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; a closed client cannot be used again."""
        await self.transport.close()

    async def ask(self, call: Call[AnswerT]) -> AnswerT:
        """Send the request of a ``Call`` and return its parsed reply."""
        reply = await self.transport.ask(call.request)
        with reading_from(self.url):
            return call.read(reply)

    def follow(self, wanted: feed.Feed) -> AsyncChanges:
        """Poll a ``Feed`` and return its changes as an iterator."""
        wait_s = min(WAIT_S, self._timeout_s / 2)
        return AsyncChanges(
            lambda question: self.ask(wanted.call(question)),
            wanted.after,
            wait_s,
            wanted.on_trouble,
        )

    trajectories = Method(lists.trajectories, AsyncRuns)
    steps = Method(lists.steps, AsyncTable)
    conversations = Method(lists.conversations, AsyncTable)
    search = Method(texts.search, AsyncTable)
    conversation = Method(lists.conversation, AsyncRuns)
    changes = Method(feed.changes, follow)
    documents = Method(lists.documents, AsyncFound)

    trajectory = Method(runs.trajectory, ask)
    latest = Method(runs.latest, ask)
    document = Method(runs.document, ask)
    newer_document = Method(runs.newer_document, ask)
    step_document = Method(runs.step_document, ask)
    sent_span = Method(runs.sent_span, ask)
    otlp = Method(runs.otlp, ask)
    spans = Method(runs.spans, ask)
    spans_document = Method(runs.spans_document, ask)
    diff = Method(diffs.diff, ask)
    diff_document = Method(diffs.diff_document, ask)

    stats = Method(questions.stats, ask)
    fields = Method(questions.fields, ask)
    field_values = Method(questions.field_values, ask)

    annotation_entries = Method(said.annotation_entries, ask)
    annotation_table = Method(said.annotation_table, ask)
    annotation_corrections = Method(said.annotation_corrections, ask)
    import_annotations = Method(said.import_annotations, ask)
    schemes = Method(said.schemes, ask)
    put_scheme = Method(said.put_scheme, ask)

    request_replay = Method(upkeep.request_replay, ask)
    replay = Method(upkeep.replay, ask)
    delete = Method(upkeep.delete, ask)
    service = Method(upkeep.service, ask)
    diagnosis = Method(upkeep.diagnosis, ask)
    take_snapshot = Method(upkeep.take_snapshot, ask)
