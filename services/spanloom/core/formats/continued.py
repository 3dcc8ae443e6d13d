"""Adds to a stored document what is known only when it is read: the runs it is linked to.

Two members are appended to ``extraction``: ``resumes``, the trace that waited for the answer which
this run received, and ``resumed_by``, the trace that received the answer for which this one waited.
All bytes before them are as stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.canonical import EXTRACTION
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from spanloom.core.query.continuations import Continuation

_MARKS = (b'"is_resuming":true', b'"pauses":[{')
"""Quotes are escaped inside JSON strings, so no recorded text contains these marks."""
_END = b"}}"
"""The end of ``extraction``, the last member, and of the document."""


def may_continue(document: bytes) -> bool:
    """Return whether the run is paused or resumes a paused one."""
    start = max(document.rfind(EXTRACTION), 0)
    return any(document.find(mark, start) >= 0 for mark in _MARKS)


def with_continuation(document: bytes, found: Continuation) -> bytes:
    """Return the document with the traces that it resumes and is resumed by."""
    told = {name: trace_id for name, trace_id in found._asdict().items() if trace_id}
    if not told:
        return document
    return b"%b,%b%b" % (document.removesuffix(_END), dump(told)[1:-1], _END)
