"""Remembers the secrets of this process, and removes them from logs, errors and responses.

A server may repeat a secret in an error message, and a driver may quote that message. Therefore
code that reads a secret calls ``remember``, and code that passes on a text from elsewhere calls
``hide``.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from urllib.parse import quote, quote_plus

HIDDEN = "…"
_SHORT = 6
"""A secret with fewer characters is hidden only as a whole word, because words may contain it."""
_known: set[str] = set()


def remember(secret: str, user: str = "") -> None:
    """Hide a secret from now on, including its encodings in URLs and HTTP headers."""
    if secret and secret not in _known:
        _known.update({secret, quote(secret, safe=""), quote_plus(secret)})
        _known.add(secret.encode("unicode_escape").decode())
    if secret and user:
        _known.add(b64encode(f"{user}:{secret}".encode()).decode())


def hide(text: str) -> str:
    """Return the text without any secret that this process knows."""
    return _pattern(frozenset(_known)).sub(HIDDEN, text) if _known else text


@lru_cache(maxsize=2)
def _pattern(known: frozenset[str]) -> re.Pattern[str]:
    """Compile a pattern of all secrets, the longest first, because one may contain another."""
    return re.compile("|".join(map(_matching, sorted(known, key=len, reverse=True))))


def _matching(secret: str) -> str:
    text = re.escape(secret)
    return text if len(secret) >= _SHORT else rf"(?<!\w){text}(?!\w)"
