"""A stored document with what is only known when it is read: which runs its own goes on with.

Two members stand at the end of ``extraction``: ``resumes``, the trace that waited for the answer
which this run was given, and ``resumed_by``, the trace that was given the one it waited for. All
before them is as it is stored, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.formats.canonical import EXTRACTION
from spanloom.core.formats.json_bytes import dump

if TYPE_CHECKING:
    from spanloom.core.query.continuations import Continuation

_MARKS = (b'"is_resuming":true', b'"pauses":[{')
"""Inside JSON strings quotes are escaped: nothing that somebody said looks like these."""
_END = b"}}"
"""Of ``extraction``, the last member, and of the document."""


def may_continue(document: bytes) -> bool:
    """Return whether the document is of a run that waits for a person or goes on with one."""
    start = max(document.rfind(EXTRACTION), 0)
    return any(document.find(mark, start) >= 0 for mark in _MARKS)


def with_continuation(document: bytes, found: Continuation) -> bytes:
    """Return the document with the runs that it goes on with, or that go on with it."""
    told = {name: trace_id for name, trace_id in found._asdict().items() if trace_id}
    if not told:
        return document
    return b"%b,%b%b" % (document.removesuffix(_END), dump(told)[1:-1], _END)
