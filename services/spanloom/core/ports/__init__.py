"""What the pipeline asks of a store: one narrow protocol for each consumer.

``tests/contract`` holds one suite that every implementation passes: the embedded engine, a
ClickHouse server, and the store in memory. All methods are synchronous and may block; call them
from asynchronous code through a thread. Adapters raise only ``core.errors``:
``StoreUnavailableError`` for what may pass, ``StoreRejectedError`` for what never will.

============== ==========================================================
consumer       protocol
============== ==========================================================
writer         ``spans.SpanWriter``
discovery      ``progress.ChangeReader``
batch builder  ``building.BuildingStore``
replayer       ``replays.ReplayQueue`` and ``building.BuildingStore``
API            ``reading.ReadingStore``
access         ``keys.KeyStore``, ``usage.UsageStore``
wiring         ``store.Store``, all of them together
============== ==========================================================
"""
