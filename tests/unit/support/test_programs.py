"""A program that is forked for a test inherits no socket of the interpreter it is copied from."""

from __future__ import annotations

import pytest
from tests.support import programs

pytestmark = pytest.mark.service

SOCKETS_ABOVE = """
import socket, sys
frame = sys._getframe()
while frame := frame.f_back:
    print([s for s in frame.f_locals.values() if isinstance(s, socket.socket) and s.fileno() >= 0])
"""


def test_a_copy_has_no_socket_of_the_interpreter_it_was_copied_from() -> None:
    """At its end the copy would close whatever has the socket's number; the engine then aborts."""
    above = programs.run("-c", SOCKETS_ABOVE).stdout.splitlines()
    assert above
    assert set(above) == {"[]"}
