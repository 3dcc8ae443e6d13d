"""Commands end without a traceback when the reader of their output leaves or Ctrl-C is pressed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.served_feed import ServedFeed

    Start = Callable[..., subprocess.Popen[bytes]]

pytestmark = pytest.mark.service

PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
from spanloom.__main__ import main
main()
"""


@pytest.fixture
def start(served: ServedFeed) -> Iterator[Start]:
    begun: list[subprocess.Popen[bytes]] = []

    def _start(*words: str) -> subprocess.Popen[bytes]:
        begun.append(
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "SPANLOOM_API_URL": served.url},
            )
        )
        return begun[-1]

    yield _start
    for process in begun:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[bytes], served: ServedFeed) -> bytes:
    """Announce changes until the command, which then follows, prints one; return that line."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    for number in range(1, 100):
        served.say(number)
        time.sleep(0.2)
        if line := process.stdout.readline():
            return line
    raise AssertionError("nothing is printed")


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    assert process.stderr is not None
    return process.wait(20), process.stderr.read()


def test_a_follower_ends_as_soon_as_nobody_reads_it(served: ServedFeed, start: Start) -> None:
    process = start("tail", "-f")
    assert first_line(process, served).startswith(b"{")
    assert process.stdout is not None
    process.stdout.close()  # no change follows, so it would wait for ever
    assert ended(process) == (0, b"")


def test_ctrl_c_ends_a_follower_with_130(served: ServedFeed, start: Start) -> None:
    process = start("tail", "-f")
    first_line(process, served)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, b"\n"), "the line on which ^C stands ends"


@pytest.mark.parametrize(
    "words", [["list", "--help"], ["instrument"], ["instrument", "--output", "table"]]
)
def test_output_that_nobody_reads_is_no_failure(start: Start, words: list[str]) -> None:
    process = start(*words)
    assert process.stdout is not None
    process.stdout.close()
    assert ended(process) == (0, b"")
