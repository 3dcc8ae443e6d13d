"""Reads the number and the name of a reason out of what the engine says."""

from __future__ import annotations

import re

from spanloom.core.ports.sql import SqlError

_SAID = re.compile(r"Code: (\d+)\. DB::Exception: (.*)\(([A-Z][A-Z0-9_]+)\)\s*\Z", re.DOTALL)
_NAMELESS = re.compile(r"Code: (\d+)\. DB::Exception: (.*)\Z", re.DOTALL)
"""An error of a streaming INSERT, or one cut off at a zero byte."""
_OF_THE_CHECK = re.compile(r": In scope SELECT (parseQueryToJSON|formatQuery\w*)\(.*", re.DOTALL)
"""What the engine adds to an error of the statement that asks it to parse another one."""
_NESTED = re.compile(r"Code: \d+\. DB::Exception: ")
_VERSION = re.compile(r" ?\([A-Z][A-Z0-9_]+\) \(version [^)]*\)\.?")
_UNKNOWN = (1002, "UNKNOWN_EXCEPTION")


def sql_error(error: BaseException) -> SqlError:
    """Return the engine's error as one of ours.

    An error inside another is said once: the engine repeats number, name and version for each.
    """
    said = _SAID.search(str(error)) or _NAMELESS.search(str(error))
    if said is None:
        return SqlError(*_UNKNOWN, str(error).split("\n", 1)[0])
    code, text, *name = said.groups()
    plain = _OF_THE_CHECK.sub("", _VERSION.sub("", _NESTED.sub("", text))).strip()
    return SqlError(int(code), name[0] if name else _UNKNOWN[1], plain)
