"""Runs the code of an evaluator in a separate process, within limits, and reads its result."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, Final

from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.contract.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHILD: Final = str(Path(__file__).with_name("child.py"))
_ENVIRONMENT: Final = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
"""The whole environment of the process: without provider keys, without proxies."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one evaluation: seconds and bytes."""

    wall_s: float = 10.0
    cpu_s: int = 10
    memory_bytes: int = 1 << 30
    """Limit of the address space."""
    file_bytes: int = 1 << 18
    """Limit of the printed output, and of the returned value as JSON."""


class FailedCodeError(Exception):
    """The evaluator's code gave no result; the message is the reason."""

    def __init__(self, code: ErrorCode, reason: str) -> None:
        """Store the code and the reason."""
        super().__init__(reason)
        self.code = code


def run_code(
    source: str, file: str, function: str, arguments: Sequence[Any], bounds: Bounds
) -> object:
    """Run ``function`` of the code in a new process, and return its value.

    Raises ``FailedCodeError``.
    """
    limits = {
        "cpu_s": bounds.cpu_s,
        "memory_bytes": bounds.memory_bytes,
        "file_bytes": bounds.file_bytes,
    }
    request = {"source": source, "file": file, "function": function, "arguments": arguments}
    with TemporaryFile() as request_file, TemporaryFile() as printed, TemporaryFile() as answer:
        request_file.write(dump({**request, **limits}))
        request_file.seek(0)
        status = _wait(_start(request_file, printed, answer), bounds)
        if max(_size(printed), _size(answer)) >= bounds.file_bytes:
            reason = f"the code wrote {bounds.file_bytes} bytes or more"
            raise FailedCodeError(ErrorCode.TOO_LARGE, reason)
        return _read(answer, status)


def _start(
    request_file: IO[bytes], printed: IO[bytes], answer: IO[bytes]
) -> subprocess.Popen[bytes]:
    fd = answer.fileno()
    return subprocess.Popen(  # noqa: S603  # our own interpreter and script
        [sys.executable, "-I", "-B", _CHILD, str(fd)],
        stdin=request_file,
        stdout=printed,
        stderr=subprocess.STDOUT,
        env=_ENVIRONMENT,
        pass_fds=(fd,),
        start_new_session=True,
        cwd="/",
    )


def _wait(process: subprocess.Popen[bytes], bounds: Bounds) -> int:
    """Wait for the process, kill its process group, and return the exit status."""
    try:
        return process.wait(bounds.wall_s)
    except subprocess.TimeoutExpired:
        reason = f"the code took longer than {bounds.wall_s:g} seconds"
        raise FailedCodeError(ErrorCode.TIMEOUT, reason) from None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(answer: IO[bytes], status: int) -> object:
    answer.seek(0)
    body = answer.read()
    if not body or status != 0:
        if -status == signal.SIGXCPU:
            raise FailedCodeError(ErrorCode.TIMEOUT, "the code took more CPU time than it may")
        reason = f"the code ended its process: status {status}"
        raise FailedCodeError(ErrorCode.CRASHED, reason)
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise FailedCodeError(ErrorCode.INVALID_ANSWER, "the answer is no JSON") from None
    if not isinstance(reply, dict) or "answer" not in reply:
        reason = str(reply.get("error", "")) if isinstance(reply, dict) else "it is no answer"
        raise FailedCodeError(ErrorCode.CRASHED, reason)
    return reply["answer"]


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size
