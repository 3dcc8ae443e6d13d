"""The synchronous client of the HTTP API; results are the objects of ``models.py``."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Self

from spanloom.client.address import find_address
from spanloom.client.answers import reading_from
from spanloom.client.calls import annotations as said
from spanloom.client.calls import diffs, feed, lists, questions, runs, texts, upkeep
from spanloom.client.changes import WAIT_S, Changes
from spanloom.client.found import Found, Runs, Table
from spanloom.client.method import Method
from spanloom.client.transport import Transport
from spanloom.client.tries import Patience

if TYPE_CHECKING:
    import httpx

    from spanloom.client.request import AnswerT, Call


class Client:
    """The API of one service; may be used by one thread at a time.

    ```python
    with Client("http://traces.internal:8080") as client:
        for run in client.trajectories(since="2h", has_error=True):
            print(run.trace_id, run.root_name, run.duration)
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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Create a client without connecting.

        ``url`` defaults to ``SPANLOOM_API_URL``, else ``http://127.0.0.1:8080``; ``api_key``
        to ``SPANLOOM_API_KEY``, else no key is sent. ``timeout_s`` bounds each try,
        ``deadline_s`` and ``tries`` bound all of them together; ``transport`` replaces the
        network. Raises ``ValueError`` if the URL is invalid.
        """
        address = find_address(url, api_key)
        self.transport = Transport(address, Patience(timeout_s, deadline_s, tries), transport)
        self.url, self._timeout_s = address.url, timeout_s

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a closed client cannot be used again."""
        self.transport.close()

    def ask(self, call: Call[AnswerT]) -> AnswerT:
        """Send the request of a ``Call`` and return its parsed reply."""
        reply = self.transport.ask(call.request)
        with reading_from(self.url):
            return call.read(reply)

    def follow(self, wanted: feed.Feed) -> Changes:
        """Poll a ``Feed`` and return its changes as an iterator."""
        wait_s = min(WAIT_S, self._timeout_s / 2)
        return Changes(
            lambda question: self.ask(wanted.call(question)),
            wanted.after,
            wait_s,
            wanted.on_trouble,
        )

    trajectories = Method(lists.trajectories, Runs)
    steps = Method(lists.steps, Table)
    conversations = Method(lists.conversations, Table)
    search = Method(texts.search, Table)
    conversation = Method(lists.conversation, Runs)
    changes = Method(feed.changes, follow)
    documents = Method(lists.documents, Found)

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

    def copy(self, call: Call[bytes], into: IO[bytes]) -> None:
        """Stream the body of a reply into a file, whatever its size."""
        self.transport.ask(call.request, into)
