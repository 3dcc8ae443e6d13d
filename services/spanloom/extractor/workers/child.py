"""The worker: ``python -m spanloom.extractor.workers.child FD``; ``FD`` is the owner's socket.

It does not open the store or load chDB, and exits when its owner exits. The kernel ends it if a
round (one message and its answer) takes too much CPU time; allocating more than the memory limit
raises ``MemoryError``.
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

from spanloom.extractor.drafts import make_drafts
from spanloom.extractor.next_versions import make_records
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
"""Memory limit of a worker, in bytes.

A task has about 2,500 spans if its traces are small; two such tasks need 100 to 200 MB.
"""
AHEAD = 2
"""Messages received in advance while another message is processed."""


def main(fd: int) -> None:
    """Answer messages until the owner has ended."""
    favour_speed()
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, MAX_BYTES))
    connection: Messages = Connection(fd)
    received: Queue[bytes] = Queue(AHEAD)
    Thread(target=_receive, args=(connection, received), daemon=True).start()
    begin: Begin = pickle.loads(received.get())  # noqa: S301  # from the owner, our parent
    gc.freeze()
    _send(connection, Ready())
    builder = _Builder(begin)
    for question in _questions(received):
        _send(connection, builder.answer(question))


class _Builder:
    """Answers requests; stores the drafts of a task between ``Spans`` and ``Known``."""

    def __init__(self, begin: Begin) -> None:
        self._codec, self._options = begin
        self._drafts: dict[int, Drafts] = {}

    def answer(self, question: Question) -> Answer:
        """Return the answer; SIGPROF ends the process after ``limit_s`` seconds of CPU time."""
        signal.setitimer(signal.ITIMER_PROF, question.limit_s)
        try:
            return self._draft(question) if isinstance(question, Spans) else self._encode(question)
        except Exception as error:  # the owner builds the task, and finds the faulty trace
            return Failed("".join(transportable(error).__notes__))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _draft(self, spans: Spans) -> Drafted:
        read = self._codec.decode(spans.carried)
        most = self._options.max_trace_spans
        parts, unsure, large = whole_parts(read, spans.traces, spans.arrived, most)
        left = unsure.keys() | large
        sure = {key: status for key, status in spans.traces.items() if key not in left}
        drafts = make_drafts(sure, parts, self._options.prices)
        for error in drafts.result.failures.values():
            if isinstance(error, MemoryError):
                raise error  # the owner's process has more memory
        left |= drafts.without_parts()
        self._drafts[spans.task] = drafts
        return Drafted(drafts.calls, left)

    def _encode(self, known: Known) -> Encoded:
        drafts = self._drafts.pop(known.task)
        records = make_records(drafts, known.originals, known.heads)
        result = drafts.result
        result.failures = {key: transportable(e) for key, e in result.failures.items()}
        return Encoded(list(map(self._codec.encode, records)), result)


def _receive(connection: Messages, received: Queue[bytes]) -> None:
    """Receive messages in a thread, so that the owner can send while this process builds."""
    try:
        while True:
            received.put(connection.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)  # the owner has ended: the work in progress is useless


def _questions(received: Queue[bytes]) -> Iterator[Question]:
    while True:
        yield pickle.loads(received.get())  # noqa: S301  # from the owner, our parent


def _send(connection: Messages, answer: Answer) -> None:
    connection.send_bytes(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


if __name__ == "__main__":
    main(int(sys.argv[1]))
