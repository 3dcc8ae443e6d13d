"""Delivers events of alerts to channels, at least once.

Everything runs in an event loop in a thread of its own: a channel that does not respond blocks only
its own task. Events and the state of their deliveries are in the store.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

import orjson

from spanloom.alerts.definition import read_definition
from spanloom.alerts.payload import message_for, payload_of
from spanloom.alerts.queues import PER_CHANNEL, Item, Queues
from spanloom.alerts.sending import DeliveryError
from spanloom.alerts.service import FOLLOWER
from spanloom.core.errors import SpanloomError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import DeliveryState
from spanloom.core.sharing import hold_all
from spanloom.following.sharing import owns
from spanloom.logs import get_logger
from spanloom.outage import Outage
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.alerts.definition import Channel
    from spanloom.alerts.sending import Sender
    from spanloom.core.model.alert import Delivery
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices
    from spanloom.metrics import Metrics

EVERY_S = 0.2
"""Seconds between checks for due deliveries while some are pending."""
REST_S = 1.0
"""Seconds between checks while none is pending, unless there is a notice of new events."""
BUSY_S = 0.02
"""Seconds between checks while deliveries run, so that their outcomes are recorded promptly."""
READ_S = 15.0
"""Seconds after which the store is read even without a notice of new events."""
AT_ONCE = 64
"""Maximum concurrent deliveries."""
THREADS = 32
"""Threads that resolve names, read secrets and access the store."""
ENDING_S = 2.0
"""Seconds to wait for running deliveries when the deliverer stops."""
_DAYS_BACK = 30
"""Days of events in the first read; events older than a day are given up at the next failure."""
_DAY_US = 86_400 * 1_000_000
_OUTCOMES = {DeliveryState.PENDING: "failed"}
log = get_logger("alerts")


class AlertDeliverer:
    """Delivers alerts in the background; waits while the store is unavailable.

    Implements ``Part``, the interface for components of the process (``process/supervisor.py``).
    """

    name = "alert deliveries"

    def __init__(
        self,
        store: ReadingStore,
        sender: Callable[[], Sender],
        metrics: Metrics,
        *,
        base_url: Callable[[], str] = str,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Deliver the events of a store; ``sender`` is called in the event loop.

        ``base_url`` returns the URL of the page, for links. ``outage`` logs failures of the store.
        All work is divided into slices; ``held`` returns the slices of this process. The process
        that holds a certain slice delivers all alerts.
        """
        self._store = store
        self._make_sender = sender
        self._metrics = metrics
        self._base_url = base_url
        self._outage = outage or Outage()
        self._held = held
        self._clock_ns = clock_ns
        self._queues = Queues()
        self._unrecorded: list[Delivery] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._read_us: int | None = None
        """Time of the last read, in µs since the epoch."""
        self._noticed = Event()
        self._stopping = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._thread = WatchedThread(self.name, self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part.failed``."""
        return self._thread.failed

    def start(self) -> None:
        """See ``Part.start``."""
        self._thread.start()

    def stop(self, grace_s: float) -> None:
        """See ``Part.stop``; unfinished deliveries are repeated after the next start."""
        self._thread.expect_end()
        self._stopping.set()
        self._wake()
        self._thread.join(grace_s)

    def notice(self) -> None:
        """Announce that new events are stored; may be called from any thread."""
        self._noticed.set()
        self._wake()

    def _wake(self) -> None:
        """End the current pause; has no effect before the event loop runs and after its end."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed
                self._loop.call_soon_threadsafe(self._woken.set)

    def _run(self) -> None:
        asyncio.run(self._deliver_all())

    async def _deliver_all(self) -> None:
        threads = ThreadPoolExecutor(THREADS, thread_name_prefix="alert-deliveries")
        self._loop = asyncio.get_running_loop()
        self._loop.set_default_executor(threads)
        sender = self._make_sender()
        try:
            while not self._stopping.is_set():
                await self.run_once(sender)
                await self._pause()
            await self._end()
        finally:
            for task in self._tasks:
                task.cancel()
            await sender.close()
            threads.shutdown(wait=False, cancel_futures=True)

    async def _pause(self) -> None:
        """Wait until the next check, or until ``notice`` or ``stop`` is called."""
        is_busy = self._tasks or self._unrecorded
        pause_s = BUSY_S if is_busy else EVERY_S if len(self._queues) else REST_S
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), pause_s)
        self._woken.clear()

    async def _end(self) -> None:
        """Wait for running deliveries, and record their outcomes."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=ENDING_S)
        try:
            await self._record()
        except SpanloomError as error:
            log.warning("outcomes of deliveries could not be recorded", error=str(error))

    async def run_once(self, sender: Sender) -> None:
        """Read pending deliveries, start the due ones, and record outcomes."""
        with self._outage.watched(self.name):
            await self._read()
            await self._record()
        for item in self._queues.due(self._now_us(), AT_ONCE - len(self._tasks)):
            task = asyncio.create_task(self._deliver(sender, item))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _read(self) -> None:
        """Read pending deliveries if there are new events, or after ``READ_S`` seconds."""
        if not owns(self._held(), FOLLOWER):
            self._queues.clear()
            self._read_us = None
            return
        now_us, before_us = self._now_us(), self._read_us
        is_due = before_us is None or now_us - before_us >= READ_S * 1_000_000
        if not (is_due or self._noticed.is_set() or self._queues.wants_more):
            return
        self._noticed.clear()
        days = _DAYS_BACK if before_us is None else 2
        from_us = max(now_us - days * _DAY_US, 0)
        alerts = self._store.alerts
        try:
            if await asyncio.to_thread(alerts.list, Reach.ALL):  # else there is no event either
                self._queues.add(await asyncio.to_thread(alerts.pending, from_us, PER_CHANNEL))
        except SpanloomError:
            self._noticed.set()
            raise
        self._read_us = now_us

    async def _deliver(self, sender: Sender, item: Item) -> None:
        """Deliver one item, and hold the outcome in memory until it is recorded."""
        try:
            message = await asyncio.to_thread(self._message, item)
        except SpanloomError as error:
            log.warning("an alert cannot be read", alert=item.event.alert, error=str(error))
            return self._note(*self._queues.failed(item, self._now_us(), "the store is away"))
        if message is None:
            reason = "the alert no longer has this channel"
            return self._note(self._queues.dropped(item, self._now_us(), reason))
        try:
            await sender.send(*message)
        except DeliveryError as error:
            return self._note(*self._queues.failed(item, self._now_us(), str(error)))
        return self._note(self._queues.delivered(item, self._now_us()))

    def _note(self, *deliveries: Delivery) -> None:
        self._unrecorded += deliveries
        for one in deliveries:
            outcome = _OUTCOMES.get(one.state, str(one.state))
            self._metrics.alert_deliveries.labels(outcome).inc()
            if one.state is DeliveryState.UNDELIVERED:
                names = {"alert": one.alert, "project": one.project, "id": one.id}
                log.warning("an alert could not be delivered", **names, reason=one.error)

    def _message(self, item: Item) -> tuple[Channel, bytes] | None:
        """Return an item's channel and request body; ``None`` if the alert has no such channel."""
        event = item.event
        alerts = self._store.alerts.list(Reach.only(event.project), event.alert)
        channels = [one for alert in alerts for one in read_definition(alert.definition).channels]
        channel = next((one for one in channels if one.key == item.channel), None)
        if channel is None:
            return None
        of_version = (
            read_definition(one.definition)
            for one in self._store.alerts.versions(event.project, event.alert)
            if one.version == event.alert_version
        )
        definition = next(of_version, None) or read_definition(alerts[0].definition)
        shown = self._store.alerts.shown([event]).get((event.id, event.number), {})
        payload = payload_of(event, shown, definition, self._base_url())
        body = message_for(channel.kind, payload, event.at_us)
        return channel, orjson.dumps(body)

    async def _record(self) -> None:
        """Store the outcomes of deliveries; they stay in memory until that succeeds."""
        if not self._unrecorded:
            return
        some = list(self._unrecorded)
        await asyncio.to_thread(self._store.alerts.add_deliveries, some)
        del self._unrecorded[: len(some)]
        self._queues.recorded(some)

    def _now_us(self) -> int:
        return self._clock_ns() // 1_000
