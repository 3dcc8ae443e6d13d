"""Starts programs as forks of an interpreter that has already imported Spanloom.

Importing 1,400 modules takes four fifths of the time of a short command, and the tests start
hundreds of commands. The program is an ordinary process with its own pid, signals, limits,
environment and exit status. Tests of the start itself use ``start_fresh``.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tests.support import copied_interpreter
from tests.support.tiers import refuse_in_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[2]
RUN_S = 120.0


class Copy:
    """A started program, with those methods of ``subprocess.Popen`` that tests use."""

    def __init__(self, arguments: Sequence[str], news: socket.socket, output: int | None) -> None:
        self.args = list(arguments)
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None if output is None else os.fdopen(output)
        self._news = news
        self._lines = news.makefile("r")
        self.pid = int(self._lines.readline())

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, or the negative number of the signal that ended it."""
        if self.returncode is None:
            if not select.select([self._news], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._lines.readline())
            self._lines.close()
            self._news.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send the signal, unless the program has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # ended since
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Program = Copy | subprocess.Popen[str]


def start(arguments: Sequence[str], env: Mapping[str, str], stderr: int) -> Copy:
    """Start ``python`` with the arguments: ``-m MODULE …``, ``-c CODE …`` or ``FILE …``."""
    output, written = os.pipe()
    with os.fdopen(written, "w"), tempfile.TemporaryFile() as nothing:
        news = _order(arguments, env, nothing.fileno(), written, stderr)
    return Copy(arguments, news, output)


def start_fresh(
    arguments: Sequence[str], env: Mapping[str, str], stderr: int
) -> subprocess.Popen[str]:
    """Start a program in a new interpreter, which imports everything again."""
    command, given = [sys.executable, *arguments], dict(env)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=given)


def run(
    *arguments: str,
    env: Mapping[str, str] | None = None,
    text: str = "",
    timeout_s: float = RUN_S,
) -> subprocess.CompletedProcess[str]:
    """Run ``python`` with the arguments and the text as its input; return its output.

    ``env`` is added to a clean environment.
    """
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as output,
        tempfile.TemporaryFile("w+") as errors,
    ):
        given.write(text)
        given.seek(0)
        files = (file.fileno() for file in (given, output, errors))
        program = Copy(arguments, _order(arguments, clean_environment(env), *files), None)
        try:
            status = program.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            error.add_note(_where_it_hangs(program, errors))
            raise
        finally:
            program.kill()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(program.args, status, output.read(), errors.read())


def run_program(module: str, *arguments: str, text: str = "", timeout_s: float = RUN_S) -> Any:
    """Run ``python -m module`` and return the JSON that it prints; fail if it fails."""
    ended = run("-m", module, *arguments, text=text, timeout_s=timeout_s)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this environment without the user's settings and the width of a worker's terminal."""
    foreign = ("SPANLOOM_", "OTEL_", "COLUMNS")
    own = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return {**own, **(extra or {})}


def _where_it_hangs(program: Copy, errors: IO[str]) -> str:
    """Return a program's output so far, and the stacks of its threads."""
    program.send_signal(copied_interpreter.STACKS)
    with suppress(subprocess.TimeoutExpired):
        program.wait(1)
    errors.seek(0)
    return errors.read()


def _order(arguments: Sequence[str], env: Mapping[str, str], *files: int) -> socket.socket:
    """Request a program with these descriptors as 0, 1 and 2; return the socket of its reports."""
    refuse_in_unit("starts a program")
    ours, theirs = socket.socketpair()
    order = json.dumps(copied_interpreter.Order(list(arguments), dict(env))).encode()
    with theirs:
        interpreter = _interpreter(env.get("PYTHONPATH", ""))
        socket.send_fds(interpreter, [order], [*files, theirs.fileno()])
    return ours


@cache
def _interpreter(path: str) -> socket.socket:
    """Start the interpreter from which programs are forked; return the socket for requests.

    Programs with another ``PYTHONPATH`` may import another Spanloom.
    """
    orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", copied_interpreter.__name__, str(theirs.fileno())]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": path},
        )
    atexit.register(process.wait)
    atexit.register(orders.close)
    return orders
