"""Assigns traces to the ``with`` blocks of tests: to the block in which the root span started.

The OpenTelemetry context of the root names the block. If it does not, as in a plain thread or
another process, the trace belongs to the only open block; if several blocks are open, the trace is
unattributed, and each of these blocks fails.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json


@dataclass(eq=False)
class Block:
    """The spans that were captured while a block of a test was open, as OTLP JSON."""

    groups: list[Json] = field(default_factory=list)
    """Items of ``resourceSpans``."""
    running: dict[tuple[str, str], str] = field(default_factory=dict)
    """Names of the spans that have not ended, keyed by trace and span id."""
    unattributed: dict[str, str] = field(default_factory=dict)
    """Names of roots of traces that may belong to this block or another, keyed by trace id."""
    outside: dict[str, str] = field(default_factory=dict)
    """Names of spans of traces that began before the block, keyed by trace id."""
    remote: dict[str, bool] = field(default_factory=dict)
    """Whether the root of a received trace has been received, keyed by trace id."""
    is_over: bool = False
    """Whether the block was closed."""
    expects_remote: bool = False
    """Whether a receiver was open, so that spans may come from another process."""

    @property
    def is_whole(self) -> bool:
        """Whether every span has ended, and every received trace has its root."""
        if self.expects_remote and not self.groups:
            return False
        return not self.running and all(self.remote.values())

    def spans_of(self, trace_id: str) -> Sequence[Json]:
        """Return the items of ``resourceSpans`` that have spans of a trace."""
        return [
            group
            for group in self.groups
            if any(
                span.get("traceId") == trace_id
                for scope in group.get("scopeSpans") or ()
                for span in scope.get("spans") or ()
            )
        ]


class Blocks:
    """The blocks that are open in this process."""

    def __init__(self) -> None:
        """Start without open blocks."""
        self._changed = Condition()
        self._open: list[Block] = []
        self._owners: dict[str, Block | None] = {}
        """The block of each trace, keyed by trace id; ``None`` if the trace belongs to no block."""
        self.receivers = 0
        """The number of open receivers."""

    def begin(self) -> Block:
        """Open a block and return it."""
        block = Block(expects_remote=self.receivers > 0)
        with self._changed:
            self._open.append(block)
        return block

    def end(self, block: Block, wait_s: float) -> None:
        """Close a block once its traces are complete, after ``wait_s`` seconds at the latest."""
        until = time.monotonic() + wait_s
        with self._changed:
            while not block.is_whole and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            self._open.remove(block)
            block.is_over = True

    def forget(self, block: Block) -> None:
        """Drop a block that is no longer read."""
        with self._changed:
            for trace_id in [key for key, owner in self._owners.items() if owner is block]:
                self._owners[trace_id] = None

    def start(self, trace_id: str, span_id: str, name: str, within: Block | None) -> None:
        """Record a span that starts in this process; ``within`` is the block of its context."""
        with self._changed:
            owner = self._owner(trace_id, name, within)
            if owner is not None:
                owner.running[trace_id, span_id] = name

    def finish(self, trace_id: str, span_id: str, group: Json) -> None:
        """Add a span of this process that has ended."""
        with self._changed:
            owner = self._owners.get(trace_id)
            if owner is not None and owner.running.pop((trace_id, span_id), None) is not None:
                owner.groups.append(group)
                self._changed.notify_all()

    def receive(self, groups: Iterable[Json]) -> None:
        """Add spans that another process sent."""
        with self._changed:
            for one, span in _single_spans(groups):
                trace_id = str(span.get("traceId"))
                owner = self._owner(trace_id, str(span.get("name")), None)
                if owner is not None:
                    owner.groups.append(one)
                    is_root = not span.get("parentSpanId")
                    owner.remote[trace_id] = owner.remote.get(trace_id, False) or is_root
            self._changed.notify_all()

    def _owner(self, trace_id: str, name: str, within: Block | None) -> Block | None:
        if trace_id not in self._owners:
            self._owners[trace_id] = self._owner_of_new(trace_id, name, within)
        owner = self._owners[trace_id]
        if owner is None:
            for block in self._open:
                block.outside.setdefault(trace_id, name)
        return owner

    def _owner_of_new(self, trace_id: str, name: str, within: Block | None) -> Block | None:
        if within is not None:
            return within
        if len(self._open) == 1:
            return self._open[0]
        for block in self._open:
            block.unattributed[trace_id] = name
        return None


@cache
def blocks_of_process() -> Blocks:
    """Return the registry of the ``with`` blocks that are open in this process."""
    return Blocks()


def _single_spans(groups: Iterable[Json]) -> Iterator[tuple[Json, Json]]:
    """Yield for each span an item of ``resourceSpans`` with only this span, and the span."""
    for group in groups:
        scopes: Sequence[Json] = group.get("scopeSpans") or ()
        for scope in scopes:
            for span in scope.get("spans") or ():
                yield {**group, "scopeSpans": [{**scope, "spans": [span]}]}, span
