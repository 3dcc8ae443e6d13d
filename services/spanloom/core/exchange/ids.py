"""Makes ids for runs and steps from other systems: the source's id if valid here, otherwise a hash.

Ids are never random: the same file gives the same ids, so importing it again changes nothing. Every
reader counts the generated ids with ``note_made``.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import UUID

from spanloom.core.formats.losses import Code

if TYPE_CHECKING:
    from collections.abc import Collection

    from spanloom.core.formats.losses import Losses

_TRACE, _STEP = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
_NO_TRACE, _NO_STEP = "0" * 32, "0" * 16
_PREFIXES = re.compile(r"tr-|trace:/[^/]+/|0x")
_UUID_CHARS = 36


def trace_id_of(format_id: str, project: str, source: str) -> str:
    """Return a trace id for an id in the source, or for the JSON of an item without an id.

    32 hex digits, even after a prefix of MLflow, become the id in lower case; a UUID loses its
    hyphens; any other text is hashed.
    """
    bare = _PREFIXES.sub("", source, count=1).lower()
    if _TRACE.fullmatch(bare) and bare != _NO_TRACE:
        return bare
    if len(source) == _UUID_CHARS and (uuid := _uuid(source)) is not None:
        return uuid
    return _hash(32, format_id, project, source)


def as_uuid(trace_id: str) -> str:
    """Return a trace id, 32 hex digits, in the form of a UUID."""
    ends = 0, 8, 12, 16, 20, 32
    return "-".join(trace_id[begin:end] for begin, end in pairwise(ends))


def step_id_of(trace_id: str, path: str, source: str = "", taken: Collection[str] = ()) -> str:
    """Return a step's id: the source's id if it has 16 hex digits and is unused, otherwise a hash.

    ``path`` is the path of the step in the source; it distinguishes steps without ids.
    """
    bare = source.removeprefix("0x").lower()
    if _STEP.fullmatch(bare) and bare != _NO_STEP and bare not in taken:
        return bare
    return _hash(16, trace_id, path)


def note_made(id_: str, source: str, where: str, losses: Losses) -> None:
    """Count an id that was not in the source as a loss, at the path ``where`` in the source."""
    if id_ not in source.replace("-", "").lower():
        losses.note(Code.IDS_MADE, where)


def _uuid(source: str) -> str | None:
    try:
        return UUID(source).hex
    except ValueError:
        return None


def _hash(digits: int, *parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.sha256(text).hexdigest()[:digits]
