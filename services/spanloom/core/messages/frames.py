"""Removes text that a coding agent's program puts before a person's request, such as the time.

The text stays in the messages of model calls; only the run's request is shown without it.
"""

from __future__ import annotations

import re

_NAMES = "current_datetime|session_context|system-reminder|environment_context|environment_details"
_FRAME = re.compile(rf"\s*<({_NAMES})>.*?</\1>\s*", re.DOTALL)


def without_frames(text: str) -> str:
    """Return a request without the program's text before it; unchanged if nothing would be left."""
    if not text.startswith("<"):
        return text
    at = 0
    while (frame := _FRAME.match(text, at)) is not None:
        at = frame.end()
    return text[at:] or text
