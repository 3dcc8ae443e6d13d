"""The process that reads a file: ``python -m spanloom.process.imports.child FD``.

``FD`` is a socket to the parent process. A file may be hostile, and reading it takes memory and CPU
time that the service needs for other work. Memory above the limit raises ``MemoryError``, the
kernel kills the process when it uses too much CPU time, and it exits when its parent does.
"""

from __future__ import annotations

import os
import pickle
import re
import resource
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.client.errors import ClientError
from spanloom.client.transfer.items import find_source
from spanloom.client.transfer.otlp_file import Piece, Unreadable, read_pieces
from spanloom.core.errors import InvalidRequestError
from spanloom.memory import collect_garbage_rarely
from spanloom.process.imports.messages import Begin, Begun, Ended, Failed, FoundPiece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.process.imports.messages import Message

    Messages: TypeAlias = Connection[bytes, bytes]

MOST_ITEM_BYTES = 64 << 20
"""Maximum bytes of a run or span sent to the parent process, which holds it in memory."""
TOO_LONG = "it is longer than {mib} MiB; `spanloom import` has no such limit"
TOO_MUCH = "it takes more than {mib} MiB of memory to read; `spanloom import` has no such limit"
BROKEN = "it cannot be read; the log of the service says why"
_TRACE_ID = re.compile("[0-9a-fA-F]{32}")


def main(fd: int) -> None:
    """Read the file that the first message names, and send its contents as messages."""
    collect_garbage_rarely()
    connection: Messages = Connection(fd)
    begin: Begin = pickle.loads(connection.recv_bytes())  # noqa: S301  # from the owner, our parent
    Thread(target=_leave_with_owner, args=(connection,), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_DATA, (begin.most_bytes, begin.most_bytes))
    signal.setitimer(signal.ITIMER_PROF, begin.limit_s)
    for message in messages(begin):
        connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def messages(begin: Begin) -> Iterator[Message]:
    """Yield the messages about a file; the last is ``Ended``, or ``Failed`` with the reason."""
    try:
        yield from _found(begin)
        yield Ended()
    except MemoryError:
        yield Failed(TOO_MUCH.format(mib=begin.most_bytes >> 20))
    except (ClientError, InvalidRequestError, OSError) as error:
        yield Failed(_without_path(str(error), begin))
    except Exception:  # the process's outermost handler
        yield Failed(BROKEN, traceback.format_exc())


def _found(begin: Begin) -> Iterator[Message]:
    source = find_source(begin.path, begin.format)
    yield Begun(source.name)
    project = begin.project or None
    before, is_left_out = -1, False
    for piece in read_pieces(begin.path, project, source, as_new=begin.as_new):
        if not isinstance(piece, Piece):
            yield FoundPiece(piece)
        elif piece.item != before:
            before, is_left_out = piece.item, _is_long(piece)
            yield _refused(piece) if is_left_out else FoundPiece(piece, _traces_in(piece))
        elif not is_left_out:
            yield FoundPiece(piece._replace(run=None, losses=None, scores=()), _traces_in(piece))


def _is_long(piece: Piece) -> bool:
    size = len(piece.body) if piece.run is None else len(orjson.dumps(piece.run.document))
    scores = len(pickle.dumps(piece.scores)) if piece.scores else 0
    return size + scores > MOST_ITEM_BYTES


def _refused(piece: Piece) -> FoundPiece:
    reason = TOO_LONG.format(mib=MOST_ITEM_BYTES >> 20)
    return FoundPiece(Unreadable(piece.place, reason, piece.share))


def _traces_in(piece: Piece) -> tuple[str, ...]:
    """Return the ids of the traces in a piece whose spans are sent unchanged, in order."""
    if piece.run is not None:
        return ()
    groups = orjson.loads(piece.body)["resourceSpans"]
    spans = (span for group in groups for s in group["scopeSpans"] for span in s["spans"])
    ids = (span.get("traceId") for span in spans if isinstance(span, dict))
    known = (one for one in ids if isinstance(one, str) and _TRACE_ID.fullmatch(one))
    return tuple(dict.fromkeys(map(str.lower, known)))


def _without_path(reason: str, begin: Begin) -> str:
    """Return a reason without the path, because the user does not know this temporary file."""
    path = str(begin.path)
    return reason.removeprefix(f"{path}: ").replace(path, "the file")


def _leave_with_owner(connection: Messages) -> None:
    try:
        connection.recv_bytes()
    except (EOFError, OSError):
        os._exit(0)  # the parent process is gone


if __name__ == "__main__":
    main(int(sys.argv[1]))
