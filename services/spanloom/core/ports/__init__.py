"""The store ports of the pipeline: one narrow protocol for each consumer and subject.

Input: requests, records and queries. Output: spans, documents and rows. Start with ``store.Store``,
which lists every subject.

``tests/contract`` holds one suite that every implementation passes: the embedded engine, a
ClickHouse server, and the store in memory. All methods are synchronous and may block; call them
from asynchronous code through a thread. Adapters raise only ``core.errors``:
``StoreUnavailableError`` for temporary failures, ``StoreRejectedError`` for permanent ones.

============== ==========================================================
consumer       protocol
============== ==========================================================
writer         ``spans.SpanWriter``
discovery      ``progress.ChangeReader``
batch builder  ``building.BuildingStore``: spans, trajectories, calls, feed
replayer       ``store.ReplayingStore``: these, and replays
indexer        ``texts.TextIndexer``
API            ``reading.ReadingStore``: its subjects, a protocol each
access         ``upkeep.KeyStore``, ``upkeep.UsageReader``
wiring         ``store.Store``: every subject
============== ==========================================================
"""
