"""What readers were told of trajectories that nobody has written since.

A trajectory is written right after its head was read. Where no other process writes, the head is
still true then, and what is stored need not be asked for a second time.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from spanloom.storage.engine.writes import Writes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey

MOST = 50_000
"""Traces of which it is kept: of those that did not change none is written, or taken out."""


class ToldHeads:
    """The highest span version of each trajectory whose head was told, until it is written.

    Example: told that ``a1`` stands at 7, whoever writes ``a1`` at 9 takes the 7 out. Another that
    was told the same, and writes ``a1`` after that, finds nothing and asks the store.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.writes = Writes()
        """The context in which trajectories are written, all of them."""
        self._lock = Lock()
        self._seqs: dict[TraceKey, int] = {}

    def note(self, writes_before: int | None, told: Mapping[TraceKey, int]) -> None:
        """Keep what was read, if nothing was written since ``writes.ended`` said that number."""
        with self._lock:
            if writes_before is None or writes_before != self.writes.ended:
                return
            if len(self._seqs) + len(told) > MOST:
                self._seqs.clear()
            self._seqs.update(told)

    def take(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int] | None:
        """Return what was told of all these, once; ``None`` if that of any is not known.

        To be called within ``writes``, before the first row goes out.
        """
        with self._lock:
            taken = {key: self._seqs.pop(key) for key in keys if key in self._seqs}
        return taken if len(taken) == len(set(keys)) else None
