"""Removes a password from the arguments of this process, which all users of a machine can list."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from spanloom.config.section import flag_of, variable_of
from spanloom.storage.engine.address import without_password

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FLAG, _VARIABLE = flag_of("store_url"), variable_of("store_url")


def leave_process_list() -> None:
    """Restart with the URL of the store in the environment, if its password is an argument.

    Only the user of a process can read its environment, and its children inherit it. The process is
    replaced, so no file may be open yet.
    """
    arguments = list(sys.orig_argv)  # as the system lists them, including the interpreter
    url, rest = taken_from(arguments)
    if without_password(url) != url:
        environment: Mapping[str, str] = {**os.environ, _VARIABLE: url}
        os.execve(sys.executable, rest, environment)  # noqa: S606  # this program


def taken_from(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the last URL of a store among the arguments, and the arguments without such URLs."""
    url, rest = "", []
    left = iter(arguments)
    for argument in left:
        if argument == _FLAG:
            url = next(left, "")
        elif argument.startswith(f"{_FLAG}="):
            url = argument.partition("=")[2]
        else:
            rest.append(argument)
    return url, rest
