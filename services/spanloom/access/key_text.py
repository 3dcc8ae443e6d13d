"""The text of a key: ``sl_<id>_<secret>``, for example ``sl_0f3a9c5b7d21_Zm9v…`` (59 characters).

The id is 12 hex digits and public. The secret is 32 random bytes in URL-safe base64 without
padding. What is stored of a key is its id and the SHA-256 of the whole text.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import NamedTuple
from urllib.parse import unquote

_KEY = re.compile(r"sl_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_KEY_BEGINNING = re.compile(r"sl_[0-9a-f]{12}_")


class NewKey(NamedTuple):
    """A key that was just made; only here does its text exist."""

    id: str
    text: str


def make_key() -> NewKey:
    """Make a key that nobody has."""
    key_id = secrets.token_hex(6)
    return NewKey(key_id, f"sl_{key_id}_{secrets.token_urlsafe(32)}")


def key_id_of(text: str) -> str | None:
    """Return the id in a key's text, or ``None`` if it is no key of ours."""
    found = _KEY.fullmatch(text)
    return found[1] if found else None


def digest_of(text: str) -> str:
    """Return what is stored of a key: the SHA-256 of its text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def has_key(query_string: str) -> bool:
    """Return whether a URL's query holds a key, percent-encoded or not.

    URLs end up in logs and histories, so no key may travel there.
    """
    return _KEY_BEGINNING.search(unquote(query_string)) is not None
