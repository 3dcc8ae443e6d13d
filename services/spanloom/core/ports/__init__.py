"""The ports of the store: for each consumer and subject, a protocol with few methods.

Input: requests, records and queries. Output: spans, documents and rows. Start with ``store.Store``,
which lists every subject, such as spans, runs or alerts.

Every implementation passes the tests in ``tests/contract``: chDB, a ClickHouse server, and the
store in memory. All methods are synchronous and may block; asynchronous code must call them in a
thread. Implementations raise only errors in ``core.errors``: ``StoreUnavailableError`` for
temporary failures, ``StoreRejectedError`` for permanent failures.

============== ==========================================================
consumer       protocol
============== ==========================================================
writer         ``spans.SpanWriter``
discovery      ``progress.ChangeReader``
batch builder  ``building.BuildingStore``: spans, trajectories, calls, feed
replayer       ``store.ReplayingStore``: also replays
indexer        ``texts.TextIndexer``
API            ``reading.ReadingStore``: its subjects, a protocol each
access         ``upkeep.KeyStore``, ``upkeep.UsageReader``
startup        ``store.Store``: every subject
============== ==========================================================
"""
