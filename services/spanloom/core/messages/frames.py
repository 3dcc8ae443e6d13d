"""Frames that an agent's program puts before a request: the time, the session's context.

They stay in the messages of calls; requests are shown without them.
"""

from __future__ import annotations

import re

_NAMES = "current_datetime|session_context|system-reminder|environment_context|environment_details"
_FRAME = re.compile(rf"\s*<({_NAMES})>.*?</\1>\s*", re.DOTALL)


def without_frames(text: str) -> str:
    """Return a request without the frames before it; unchanged if it has nothing else."""
    if not text.startswith("<"):
        return text
    at = 0
    while (frame := _FRAME.match(text, at)) is not None:
        at = frame.end()
    return text[at:] or text
