"""A model of the engine: each table is a log of blocks, each of which becomes visible at once.

An INSERT commits a block in its table, then one in the target table of each view that reads the
table. A SELECT sees the visible prefix of a log. Merges keep one row per key, by the rule of
``ReplacingMergeTree``; FINAL applies the rule when it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

NS = 1_000_000_000
Row = Any
"""A named tuple, whose type is in ``tables``."""


@dataclass(frozen=True)
class Table:
    """A table: its key, and the rule that selects one of the rows with the same key."""

    name: str
    key: Callable[[Row], Hashable] | None = None
    """``ORDER BY`` of a ReplacingMergeTree; without it every row stays."""
    version: Callable[[Row], Any] = lambda _: 0
    """Of two rows with the same key the higher version stays; of equal versions, the later row."""
    is_deleted: Callable[[Row], bool] = lambda _: False
    may_lag: bool = False
    """Whether blocks may become visible later than they are committed."""


class Block(NamedTuple):
    """Rows that one INSERT has committed together."""

    visible_ns: int
    rows: Sequence[Row]


@dataclass
class Log:
    """The blocks of a table, in the order in which they become visible."""

    table: Table
    blocks: list[Block] = field(default_factory=list)
    every_row: list[Row] = field(default_factory=list)
    """All rows ever committed, also those that a merge has removed."""
    delay_ns: int = 0

    def commit(self, rows: Sequence[Row], now_ns: int) -> None:
        """Add a block; it becomes visible after the delay, and never before an earlier block."""
        before_ns = self.blocks[-1].visible_ns if self.blocks else 0
        self.blocks.append(Block(max(now_ns + self.delay_ns, before_ns), rows))
        self.every_row += rows

    def visible(self, now_ns: int) -> list[Row]:
        """Return the rows of the visible blocks, oldest first."""
        return [row for block in self.blocks if block.visible_ns <= now_ns for row in block.rows]

    def merge(self, now_ns: int) -> None:
        """Merge the visible blocks into one."""
        count = sum(block.visible_ns <= now_ns for block in self.blocks)
        if count > 1:
            merged = Block(
                self.blocks[count - 1].visible_ns, final(self.table, self.visible(now_ns))
            )
            self.blocks[:count] = [merged]


def final(table: Table, rows: Iterable[Row]) -> list[Row]:
    """Return the rows that a merge leaves, including tombstones."""
    if table.key is None:
        return list(rows)
    kept: dict[Hashable, Row] = {}
    for row in rows:
        key = table.key(row)
        if key not in kept or table.version(kept[key]) <= table.version(row):
            kept[key] = row
    return list(kept.values())


class Engine:
    """The tables, and the clock of the server that stores them."""

    def __init__(self, tables: Iterable[Table], now_ns: int) -> None:
        self.logs: Mapping[str, Log] = {table.name: Log(table) for table in tables}
        self.now_ns = now_ns

    def commit(self, table: str, rows: Sequence[Row]) -> None:
        """Commit a block, if there are rows."""
        if rows:
            self.logs[table].commit(rows, self.now_ns)

    def rows(self, table: str) -> list[Row]:
        """Return what a SELECT without FINAL sees now."""
        return self.logs[table].visible(self.now_ns)

    def final(self, table: str) -> list[Row]:
        """Return what a SELECT with FINAL sees now."""
        log = self.logs[table]
        return [
            r for r in final(log.table, log.visible(self.now_ns)) if not log.table.is_deleted(r)
        ]

    def merge(self, table: str) -> None:
        """Merge all visible parts of a table, as ``OPTIMIZE TABLE … FINAL`` does."""
        self.logs[table].merge(self.now_ns)

    def remove(self, table: str, is_gone: Callable[[Row], bool]) -> None:
        """Remove rows, as retention does."""
        log = self.logs[table]
        log.blocks = [
            Block(at_ns, [row for row in rows if not is_gone(row)]) for at_ns, rows in log.blocks
        ]

    def set_delay(self, table: str, seconds: float) -> None:
        """Make the table's later blocks visible ``seconds`` after they are committed."""
        assert self.logs[table].table.may_lag or not seconds
        self.logs[table].delay_ns = int(seconds * NS)

    @property
    def settled_ns(self) -> int:
        """The time from which every committed block is visible."""
        return max((b.visible_ns for log in self.logs.values() for b in log.blocks), default=0)
