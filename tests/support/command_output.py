"""Runs a command in this process with a fixed width and no colours; returns its output."""

from __future__ import annotations

import gc
import io
import os
import shlex
import sys
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING
from unittest import mock

from tests.support.programs import clean_environment

from spanloom.cli.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WIDTH = 120
"""Width of tables; click writes help in 80 columns."""
NOW_NS = 1_796_083_200 * 10**9
"""The first of December 2026, the current time for ages."""


def run_command(arguments: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """Return the command line, its output, its standard error and its exit status.

    Standard error and a status other than 0 are labelled, if there are any.
    """
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with _process_of(arguments, env or {}), redirect_stdout(output), redirect_stderr(errors):
        status = _run()
    stderr = _text(errors)
    parts = [f"$ {shlex.join(['spanloom', *arguments])}\n", _text(output)]
    parts += [f"--- standard error\n{stderr}"] if stderr else []
    parts += [f"--- exit status {status}\n"] if status else []
    return "".join(parts)


@contextmanager
def _process_of(arguments: Sequence[str], env: Mapping[str, str]) -> Iterator[None]:
    """Set arguments and environment of a command, and restore the process state afterwards."""
    own = {**clean_environment(env), "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    threshold = gc.get_threshold()
    with (
        mock.patch.object(sys, "argv", ["spanloom", *arguments]),
        mock.patch.dict(os.environ, own, clear=True),
        mock.patch.object(time, "time_ns", return_value=NOW_NS),
    ):
        yield
    gc.set_threshold(*threshold)


def _run() -> int:
    try:
        run()
    except SystemExit as ended:
        return int(ended.code or 0)
    raise AssertionError("a command ends with a status")


def _text(stream: io.TextIOWrapper) -> str:
    """Return the text that was written, with a line end."""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    text = buffer.getvalue().decode()
    return text if text.endswith("\n") or not text else text + "\n"
