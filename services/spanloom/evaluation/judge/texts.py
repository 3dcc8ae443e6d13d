"""Shortens texts; a note in a shortened text states how many characters are omitted."""

from __future__ import annotations

import re2

from spanloom.evaluation.judge.port import estimated_tokens

_BASE64 = re2.compile(r"(?:data:[\w/+.;=-]{1,100};base64,)?[A-Za-z0-9+/_-]{256,}={0,2}")
_NOTE = "[{} characters left out]"
_NOTE_TOKENS = 12
LINE = 200
"""Maximum characters of a text that is shortened to one line."""


def without_base64(text: str) -> str:
    """Return a text with a note in place of each Base64-encoded file."""
    if len(text) < 256:
        return text
    found: str = _BASE64.sub(lambda match: f"[file of {len(match.group())} characters]", text)
    return found


def cut_middle(text: str, most: int) -> str:
    """Return both ends of a text, together about ``most`` characters at most."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} {_NOTE.format(len(text) - 2 * half)} {text[-half:]}"


def cut_to(text: str, tokens: int) -> str:
    """Return both ends of a text, together at most ``tokens`` tokens."""
    size = estimated_tokens(text)
    most = max(0, tokens - _NOTE_TOKENS) * len(text) // max(1, size)
    while size > tokens:
        shorter = cut_middle(text, most) if most > 1 else text[: max(0, tokens)]
        size, most = estimated_tokens(shorter), most * 3 // 4
        if size <= tokens or most == 0:
            return shorter if size <= tokens else ""
    return text


def one_line(text: str) -> str:
    """Return the beginning of a text as one line."""
    line = " ".join(text[: 4 * LINE].split())[:LINE]
    return f"{line} {_NOTE.format(len(text) - LINE)}" if len(text) > LINE else line
