"""Run the command; once a file exists, its every fsync fails: ``failing_disk.py FILE …``.

The kernel returns EIO to all threads and libraries, by a seccomp filter (Linux's ``seccomp(2)``)
that the process cannot remove. Everything else works.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import sys
import threading
import time
from pathlib import Path

from spanloom.__main__ import main

# x86-64 and aarch64: the number of seccomp, then the numbers of fsync and fdatasync.
NUMBERS = {"x86_64": (317, (74, 75)), "aarch64": (277, (82, 83))}
NO_NEW_PRIVILEGES = 38
SET_FILTER, ALL_THREADS = 1, 1
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL_WITH = 0x7FFF0000, 0x00050000


class Step(ctypes.Structure):
    """An instruction of the kernel's packet filter."""

    _fields_ = (
        ("code", ctypes.c_ushort),
        ("if_so", ctypes.c_ubyte),
        ("if_not", ctypes.c_ubyte),
        ("value", ctypes.c_uint),
    )


class Program(ctypes.Structure):
    """A program of the packet filter."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.POINTER(Step)))


def is_possible() -> bool:
    """Return whether this module has the system call numbers of this machine."""
    return sys.platform == "linux" and platform.machine() in NUMBERS


def fail_every_sync() -> None:
    """Make fsync and fdatasync fail with EIO in this process, irrevocably."""
    libc = ctypes.CDLL(None, use_errno=True)
    seccomp, (fsync, fdatasync) = NUMBERS[platform.machine()]
    steps = (
        Step(LOAD_NUMBER, 0, 0, 0),
        Step(JUMP_IF_EQUAL, 2, 0, fsync),
        Step(JUMP_IF_EQUAL, 1, 0, fdatasync),
        Step(RETURN, 0, 0, ALLOW),
        Step(RETURN, 0, 0, FAIL_WITH | errno.EIO),
    )
    program = Program(len(steps), (Step * len(steps))(*steps))
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.syscall(
        seccomp, SET_FILTER, ALL_THREADS, ctypes.byref(program)
    ):
        raise OSError(ctypes.get_errno(), "no filter")


def arm(trigger: Path) -> None:
    """Wait for the file in a separate thread."""

    def wait() -> None:
        while not trigger.exists():
            time.sleep(0.02)
        fail_every_sync()
        trigger.with_suffix(".done").touch()

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    arm(Path(sys.argv[1]))
    del sys.argv[1]
    main()
