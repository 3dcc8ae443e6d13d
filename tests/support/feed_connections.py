"""An in-memory connection for the change feed: the test decides when rows become visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spanloom.core.model.span import TraceKey
from spanloom.storage.annotations.queues import ReadQueues
from spanloom.storage.engine.upgrading import EXPANSIONS
from spanloom.storage.feed.clocks import Announcer
from spanloom.storage.feed.store import ClickHouseFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.feed.clocks import FeedClock

US = 1_000_000


class FeedRow(NamedTuple):
    """A row of ``trajectory_changes`` with the names of ``announcements.sql``."""

    Project: str
    TraceId: str
    Version: int
    Status: str
    StartTimeUnixNano: int
    IsSaid: bool
    changed: int
    Writer: int = 0
    Number: int = 0
    IsAgain: bool = False

    @property
    def told(self) -> tuple[TraceKey, int]:
        return TraceKey(self.Project, self.TraceId), self.Version


class FeedConnection:
    """Answers the feed's queries from ``visible``, with a clock in µs that the test sets."""

    def __init__(self, now_us: int = 10**15) -> None:
        self.now_us = now_us
        self.visible: list[FeedRow] = []
        self.is_upgrading = False
        self.inserting: Callable[[list[FeedRow]], None] = self.visible.extend
        """Called with the rows of an INSERT; may make them visible."""
        self.took_s: float | None = None
        """Seconds that INSERTs take on the server; ``None`` if it does not report them."""
        self.between: Callable[[], None] = lambda: None
        """Called between reading the clock and reading the rows."""

    def as_connection(self) -> Connection:
        return cast("Connection", self)

    def insert(
        self,
        _table: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        most_s: int | None = None,
    ) -> float | None:
        assert most_s
        has_time = columns[0] == "ChangedAt"
        now_us = self.now_us
        made = []
        for row in rows:
            at_us = _time_of(row[0]) if has_time else now_us
            named = dict(zip(columns[has_time:], row[has_time:], strict=True))
            made.append(FeedRow(**named, changed=at_us))
        self.inserting(made)
        return self.took_s

    def rows(self, name: str, **parameters: Any) -> Iterator[Any]:
        if name == "feed_clock":
            now_us = self.now_us
            self.between()
            return iter([(now_us,)])
        if name == "newest_announcement":
            return iter([(row.changed,) for row in sorted(self.visible, key=_place)[-1:]])
        if name == "announcements":
            return iter(self._announcements(**parameters))
        if name == "announcements_of":
            keys = {TraceKey(*key) for key in parameters["keys"]}
            found = (row for row in self.visible if row.told[0] in keys and not row.IsSaid)
            return iter(sorted(found, key=_place))
        if name == "table_definitions" and self.is_upgrading:
            return iter([(EXPANSIONS, "")])
        assert name in ("list_page", "table_definitions")
        return iter([])

    def _announcements(
        self, after_us: int, until_us: int, numberless_us: int, most: int, **_: object
    ) -> Sequence[FeedRow]:
        found = sorted(
            row
            for row in self.visible
            if after_us < row.changed <= until_us and (row.Writer or row.changed <= numberless_us)
        )
        found.sort(key=_place)
        last = found[most - 1].changed if len(found) >= most else until_us
        return [row for row in found if row.changed <= last]


def _place(row: FeedRow) -> int:
    return row.changed


def _time_of(text: str) -> int:
    seconds, _, rest = text.partition(".")
    return int(seconds) * US + int(rest)


def make_feed(
    connection: Connection, clock: FeedClock, reader: Connection | None = None
) -> ClickHouseFeed:
    """Return a feed written over a connection, and read over it or another."""
    read_over = reader or connection
    return ClickHouseFeed(read_over, clock, Announcer(connection, clock), ReadQueues(read_over))
