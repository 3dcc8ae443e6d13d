"""An interpreter that imports Spanloom once, and forks for each program that it runs.

``copied_interpreter.py DESCRIPTOR``: ``tests.support.programs`` sends its orders to this
descriptor. The engine is started in the forks only, because it starts threads, which do not survive
a fork. Its library is loaded and the page is built before, which saves a fifth of the start of a
service.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import os
import runpy
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spanloom.cli.running import COMMANDS
from spanloom.memory import collect_garbage_rarely
from spanloom.viewer.site import own_site

if TYPE_CHECKING:
    from collections.abc import Sequence

ORDER_BYTES = 1 << 20
STACKS = signal.SIGUSR2
"""The signal on which a program prints the stacks of its threads."""
LATER = (
    *("grpc._server", "uvicorn.lifespan.on", "uvicorn.loops.auto"),
    *("encodings.idna", "h11", "httpcore"),
)
"""Modules that the commands import only when they run; all others are imported with them."""


class Order(NamedTuple):
    """A program to run: the arguments of ``python``, and the environment."""

    arguments: list[str]
    environment: dict[str, str]


def main() -> None:
    """Import everything, then run the ordered programs until the tests are done."""
    orders = socket.socket(fileno=int(sys.argv[1]))
    prepare()
    signal.signal(signal.SIGCHLD, bury)  # not SIG_IGN, which would hide the CPU time of programs
    while True:
        message, descriptors, _, _ = socket.recv_fds(orders, ORDER_BYTES, 4)
        if not message:
            return
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    orders.detach()  # otherwise it would close whatever has that number at exit
    *files, news = descriptors
    if program := os.fork():
        watch(program, news)
    become(Order(*json.loads(message)), files)


def prepare() -> None:
    """Import the modules of the commands."""
    collect_garbage_rarely()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # as `spanloom` does, before gRPC reads it
    for place, _ in COMMANDS.values():
        import_module(f"spanloom.cli.{place.partition(':')[0]}")
    for module in LATER:
        import_module(module)
    own_site()
    load_library()
    gc.freeze()  # so that no fork's collector writes to shared pages


def load_library() -> None:
    """Load the engine's library as ``import chdb`` does, but run none of its code."""
    found = find_spec("chdb")
    assert found is not None
    assert found.origin is not None
    library = Path(found.origin).with_name("_chdb.abi3.so")
    ctypes.CDLL(str(library), mode=sys.getdlopenflags() | os.RTLD_DEEPBIND)


def bury(*_: object) -> None:
    """Reap the watcher processes that have ended; a handler of SIGCHLD."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def watch(program: int, news: int) -> None:
    """Report the program's pid to the tests and, when it has ended, its exit status; then exit."""
    close_all_but(news)
    os.write(news, b"%d\n" % program)
    _, status = os.waitpid(program, 0)
    with suppress(OSError):  # the tests have gone
        os.write(news, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def become(order: Order, files: Sequence[int]) -> None:
    """Run the program in this process, which then ends as any interpreter does."""
    for descriptor, file in enumerate(files):
        os.dup2(file, descriptor)
    close_all_but(0, 1, 2)
    os.environ.clear()
    os.environ.update(order.environment)
    faulthandler.register(STACKS)
    how, *rest = order.arguments
    sys.argv = [how, *rest[1:]] if how in {"-c", "-m"} else order.arguments
    match how:
        case "-m":
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        case "-c":
            exec(rest[0], {"__name__": "__main__"})  # noqa: S102  # code of the tests
        case _:
            runpy.run_path(how, run_name="__main__")


def close_all_but(*kept: int) -> None:
    """Close all descriptors but these."""
    for descriptor in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        if descriptor not in kept:
            with suppress(OSError):  # the descriptor of the listing itself
                os.close(descriptor)


if __name__ == "__main__":
    main()
