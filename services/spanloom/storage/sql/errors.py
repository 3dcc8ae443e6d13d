"""Reads the number and the name of a reason out of what the engine says."""

from __future__ import annotations

import re

from spanloom.core.ports.sql import SqlError

_SAID = re.compile(r"Code: (\d+)\. DB::Exception: (.*)\(([A-Z][A-Z0-9_]+)\)\s*\Z", re.DOTALL)
_OF_THE_CHECK = re.compile(r": In scope SELECT (parseQueryToJSON|formatQuery\w*)\(.*", re.DOTALL)
"""What the engine adds to an error of the statement that asks it to parse another one."""
_NESTED = re.compile(r"Code: \d+\. DB::Exception: ")
_VERSION = re.compile(r" ?\([A-Z][A-Z0-9_]+\) \(version [^)]*\)\.?")
_UNKNOWN = (1002, "UNKNOWN_EXCEPTION")


def sql_error(error: BaseException) -> SqlError:
    """Return the engine's error as one of ours.

    An error inside another is said once: the engine repeats number, name and version for each.
    """
    said = _SAID.search(str(error))
    if said is None:
        return SqlError(*_UNKNOWN, str(error).split("\n", 1)[0])
    text = _OF_THE_CHECK.sub("", _VERSION.sub("", _NESTED.sub("", said[2]))).strip()
    return SqlError(int(said[1]), said[3], text)
