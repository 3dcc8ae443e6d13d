"""Commands as targets of an evaluation: their input and environment, and their failures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from spanloom.client.evaluating.targets import Place, command_target

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service
PLACE = Place("a" * 32, "b" * 16)
SAYING = """\
import os, sys
with open(sys.argv[1], "w") as out:
    out.write(os.environ["TRACEPARENT"] + sys.stdin.read())
"""


def test_a_command_gets_input_and_traceparent(tmp_path: Path) -> None:
    out, agent = tmp_path / "out", tmp_path / "agent.py"
    agent.write_text(SAYING)
    run = command_target(f"{sys.executable} {agent} {out}")
    assert run({"q": "Oslo?"}, PLACE) == ""
    assert out.read_text() == f'00-{"a" * 32}-{"b" * 16}-01{{"q": "Oslo?"}}'


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/no/such/program", "cannot be run"),
        (f'{sys.executable} -c "raise SystemExit(3)"', "ended with 3"),
        (f'{sys.executable} -c "import time; time.sleep(9)"', "took longer than"),
    ],
)
def test_a_command_that_fails_says_why(command: str, said: str) -> None:
    assert said in command_target(command, 0.3 if "sleep" in command else 30)(None, PLACE)
