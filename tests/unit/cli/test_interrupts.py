"""Ctrl-C ends the process at any time, also where Python cannot raise an exception."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click
import pytest
from tests.support import programs

from spanloom.cli.interrupts import INTERRUPTED, leave_at_once, raise_again
from spanloom.cli.running import spanloom

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.service

WHERE_NOTHING_CAN_BE_RAISED = """
import signal, weakref

class Lock:
    pass

lock = Lock()
end = weakref.ref(lock, lambda _: signal.raise_signal(signal.SIGINT))
del lock  # what an import does when it has ended
print("it goes on as if nothing had been pressed")
"""
LEAVING = "from spanloom.cli.interrupts import leave_at_once, raise_again; leave_at_once()"


@pytest.fixture(autouse=True)
def _as_python_has_it() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_python_loses_what_it_cannot_raise() -> None:
    """Python loses a Ctrl-C inside a weakref callback, so Spanloom has a handler of its own."""
    ended = programs.run("-c", WHERE_NOTHING_CAN_BE_RAISED)
    assert (ended.returncode, bool(ended.stdout)) == (0, True)


def test_while_a_command_is_loaded_nothing_is_lost() -> None:
    ended = programs.run("-c", f"{LEAVING}\n{WHERE_NOTHING_CAN_BE_RAISED}")
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


def test_the_whole_program_is_loaded_so() -> None:
    code = """
import signal, sys
from spanloom import __main__
class Running:
    def run():
        print(signal.getsignal(signal.SIGINT).__name__)
sys.modules["spanloom.cli.running"] = Running
__main__.main()
"""
    ended = programs.run("-c", code)
    assert ended.stdout == "_leave\n", ended.stderr


def test_a_command_that_is_loaded_can_clean_up() -> None:
    leave_at_once()
    command = spanloom.get_command(click.Context(spanloom), "tail")
    assert command is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_it_goes_on_ignoring_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave_at_once()
    raise_again()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
