"""The worker itself: ``python -m spanloom.extractor.workers.child FD`` with a socket to its owner.

It has no store and no engine. It ends when its owner does, and it is ended by the system when a
round takes too much CPU time, or by itself when it needs too much memory.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
from multiprocessing.connection import Connection
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from spanloom.extractor.drafts import make_drafts, make_records
from spanloom.extractor.span_cap import whole_parts
from spanloom.extractor.workers.messages import (
    Answer,
    Begin,
    Drafted,
    Encoded,
    Failed,
    Question,
    Ready,
    Spans,
    transportable,
)
from spanloom.memory import favour_speed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.extractor.drafts import Drafts
    from spanloom.extractor.workers.messages import Known

    Messages: TypeAlias = Connection[bytes, bytes]

MAX_BYTES = 1 << 30
"""Memory that a worker may take for itself. A task has the spans of usual traces alone, some
2,500 of them: 100 to 200 MB of all that is under way."""
AHEAD = 2
"""Messages that are taken in while another one is worked on."""


def main(fd: int) -> None:
    """Work until there is nobody left to work for."""
    favour_speed()
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, MAX_BYTES))
    connection: Messages = Connection(fd)
    received: Queue[bytes] = Queue(AHEAD)
    Thread(target=_receive, args=(connection, received), daemon=True).start()
    begin: Begin = pickle.loads(received.get())  # noqa: S301  # from whoever started us
    gc.freeze()
    _send(connection, Ready())
    builder = _Builder(begin)
    for question in _questions(received):
        _send(connection, builder.answer(question))


class _Builder:
    """Answers questions; of a task whose spans are read it keeps the drafts."""

    def __init__(self, begin: Begin) -> None:
        self._codec, self._prices = begin
        self._drafts: dict[int, Drafts] = {}

    def answer(self, question: Question) -> Answer:
        """Return the answer, in time or not at all: SIGPROF ends a process that ignores it not."""
        signal.setitimer(signal.ITIMER_PROF, question.limit_s)
        try:
            return self._draft(question) if isinstance(question, Spans) else self._encode(question)
        except Exception as error:  # the owner builds it, or finds whose fault it is
            return Failed("".join(transportable(error).__notes__))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _draft(self, spans: Spans) -> Drafted:
        parts = whole_parts(self._codec.decode(spans.carried))
        drafts = make_drafts(spans.wanted, parts, self._prices)
        for error in drafts.result.failures.values():
            if isinstance(error, MemoryError):
                raise error  # there is more room in the owner's process
        self._drafts[spans.task] = drafts
        return Drafted(drafts.calls)

    def _encode(self, known: Known) -> Encoded:
        drafts = self._drafts.pop(known.task)
        records = make_records(drafts, known.originals, known.heads)
        result = drafts.result
        result.failures = {key: transportable(e) for key, e in result.failures.items()}
        return Encoded(list(map(self._codec.encode, records)), result)


def _receive(connection: Messages, received: Queue[bytes]) -> None:
    """Take messages in beside the work: whoever sends one is never kept waiting by it."""
    try:
        while True:
            received.put(connection.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)  # the owner is gone: nobody waits for what is being worked on


def _questions(received: Queue[bytes]) -> Iterator[Question]:
    while True:
        yield pickle.loads(received.get())  # noqa: S301  # from whoever started us


def _send(connection: Messages, answer: Answer) -> None:
    connection.send_bytes(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main(int(sys.argv[1]))
