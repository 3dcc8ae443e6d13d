"""``tests.support.programs`` forks a ready interpreter into processes like any other."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support import programs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service

WAIT_S = 30


def test_it_has_its_own_arguments_environment_input_and_outputs() -> None:
    code = """
import os, sys
print(sys.argv, os.environ["TOLD"], sys.stdin.read())
print(os.getpid(), file=sys.stderr)
"""
    ended = programs.run("-c", code, "a", "b", env={"TOLD": "so"}, text="given")
    assert ended.returncode == 0
    assert ended.stdout == "['-c', 'a', 'b'] so given\n"
    assert int(ended.stderr) != os.getpid()


def test_it_ends_as_an_interpreter_does(tmp_path: Path) -> None:
    assert programs.run("-c", "import sys; sys.exit(3)").returncode == 3
    failed = programs.run("-c", "import atexit; atexit.register(print, 'left'); 1 / 0")
    assert (failed.returncode, failed.stdout) == (1, "left\n")
    assert failed.stderr.endswith("ZeroDivisionError: division by zero\n")
    file = tmp_path / "program.py"
    file.write_text("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])")
    assert programs.run(str(file)).stdout == "[0, 1, 2]\n", "and inherits nothing"


def test_it_is_signalled_and_awaited(tmp_path: Path) -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with (tmp_path / "log").open("w") as log:
        program = programs.start(["-c", code], programs.clean_environment(), log.fileno())
    assert program.stdout is not None
    with program.stdout as output:
        assert int(output.readline()) == program.pid
    assert program.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.01)
    program.kill()
    assert program.wait(WAIT_S) == program.poll() == -signal.SIGKILL
    program.kill()  # has no effect


def test_spanloom_is_there_and_the_engine_is_not() -> None:
    """The engine is not imported before the fork, because its threads would not survive it."""
    code = "import sys; print('spanloom.process.wiring' in sys.modules, 'chdb' in sys.modules)"
    assert programs.run("-c", code).stdout == "True False\n"


def test_it_heeds_ctrl_c_even_if_the_tests_were_started_in_the_background() -> None:
    """A shell lets background processes ignore SIGINT, and their children inherit that."""
    code = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import tests.conftest
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    ended = programs.run("-c", code)
    assert (ended.stdout, ended.returncode) == ("True\n", 0), ended.stderr
