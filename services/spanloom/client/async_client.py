"""The client of the HTTP API for asyncio, with the methods of the synchronous client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from spanloom.client.address import find_address
from spanloom.client.calls import alerts as warned
from spanloom.client.calls import annotations as annotation_calls
from spanloom.client.calls import datasets as sets
from spanloom.client.calls import experiments as tried
from spanloom.client.calls import lists, questions, runs, upkeep
from spanloom.client.calls import online_rules as online
from spanloom.client.calls import scores as judged
from spanloom.client.calls import views as saved
from spanloom.client.changes import WAIT_S, AsyncChanges
from spanloom.client.found import AsyncFound, AsyncRuns, AsyncTable
from spanloom.client.method import Method
from spanloom.client.request import reading_from
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

    def follow(self, feed: lists.Feed) -> AsyncChanges:
        """Poll a ``Feed`` and return its changes as an iterator."""
        wait_s = min(WAIT_S, self._timeout_s / 2)
        return AsyncChanges(
            lambda position: self.ask(feed.call(position)),
            feed.after,
            wait_s,
            feed.on_trouble,
        )

    trajectories = Method(lists.trajectories, AsyncRuns)
    steps = Method(lists.steps, AsyncTable)
    conversations = Method(lists.conversations, AsyncTable)
    search = Method(lists.search, AsyncTable)
    conversation = Method(lists.conversation, AsyncRuns)
    changes = Method(lists.changes, follow)
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
    diff = Method(runs.diff, ask)
    diff_document = Method(runs.diff_document, ask)

    stats = Method(questions.stats, ask)
    compare = Method(questions.compare, ask)
    fields = Method(questions.fields, ask)
    field_values = Method(questions.field_values, ask)

    annotation_entries = Method(annotation_calls.annotation_entries, ask)
    annotation_table = Method(annotation_calls.annotation_table, ask)
    annotation_corrections = Method(annotation_calls.annotation_corrections, ask)
    import_annotations = Method(annotation_calls.import_annotations, ask)
    schemes = Method(annotation_calls.schemes, ask)
    put_scheme = Method(annotation_calls.put_scheme, ask)

    scores = Method(judged.scores, AsyncTable)
    write_scores = Method(judged.write_scores, ask)

    datasets = Method(sets.datasets, ask)
    dataset = Method(sets.dataset, ask)
    put_dataset = Method(sets.put_dataset, ask)
    delete_dataset = Method(sets.delete_dataset, ask)
    add_dataset_items = Method(sets.add_dataset_items, ask)
    remove_dataset_item = Method(sets.remove_dataset_item, ask)
    commit_dataset = Method(sets.commit_dataset, ask)
    dataset_page = Method(sets.dataset_page, ask)
    dataset_table = Method(sets.dataset_table, ask)

    online_rules = Method(online.online_rules, ask)
    online_rule = Method(online.online_rule, ask)
    put_online_rule = Method(online.put_online_rule, ask)
    backfill_online_rule = Method(online.backfill_online_rule, ask)
    delete_online_rule = Method(online.delete_online_rule, ask)

    experiments = Method(tried.experiments, ask)
    experiment = Method(tried.experiment, ask)
    start_experiment = Method(tried.start_experiment, ask)
    cancel_experiment = Method(tried.cancel_experiment, ask)
    experiment_page = Method(tried.experiment_page, ask)
    experiment_table = Method(tried.experiment_table, ask)
    compare_experiments = Method(tried.compare_experiments, ask)
    evaluators = Method(tried.evaluators, ask)
    evaluator = Method(tried.evaluator, ask)
    put_evaluator = Method(tried.put_evaluator, ask)
    alerts = Method(warned.alerts, ask)
    alert = Method(warned.alert, ask)
    put_alert = Method(warned.put_alert, ask)
    delete_alert = Method(warned.delete_alert, ask)
    alert_events = Method(warned.alert_events, ask)
    try_alert = Method(warned.try_alert, ask)

    views = Method(saved.views, ask)
    make_view = Method(saved.make_view, ask)
    change_view = Method(saved.change_view, ask)
    delete_view = Method(saved.delete_view, ask)
    set_default_view = Method(saved.set_default_view, ask)

    request_replay = Method(upkeep.request_replay, ask)
    replay = Method(upkeep.replay, ask)
    delete = Method(upkeep.delete, ask)
    service = Method(upkeep.service, ask)
    projects = Method(upkeep.projects, ask)
    diagnosis = Method(upkeep.diagnosis, ask)
    take_snapshot = Method(upkeep.take_snapshot, ask)
