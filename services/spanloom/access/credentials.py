"""Keys in requests: the headers that carry them, and their format, ``sl_<id>_<secret>``."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from spanloom.core.errors import UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Iterable


_KEY = re.compile(r"sl_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_KEY_BEGINNING = re.compile(r"sl_[0-9a-f]{12}_")


class NewKey(NamedTuple):
    """A new key; its text exists only here."""

    id: str
    text: str


def make_key() -> NewKey:
    """Make a random key."""
    key_id = secrets.token_hex(6)
    return NewKey(key_id, f"sl_{key_id}_{secrets.token_urlsafe(32)}")


def key_id_of(text: str) -> str | None:
    """Return the id in a key's text, or ``None`` if the format is not ours."""
    match = _KEY.fullmatch(text)
    return match[1] if match else None


def digest_of(text: str) -> str:
    """Return the SHA-256 of a key's text in hex, which is stored instead of the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def has_key(query_string: str) -> bool:
    """Return whether a URL's query contains a key, percent-encoded or not.

    URLs end up in logs and histories, so they must not contain keys.
    """
    return _KEY_BEGINNING.search(unquote(query_string)) is not None


KEY_HEADERS = frozenset({"authorization", "x-api-key"})
"""The headers that may carry a key, in lower case."""
CHALLENGE = 'Bearer realm="spanloom"'
"""Value of ``WWW-Authenticate`` if a key is missing or wrong."""


def read_key(headers: Iterable[tuple[str, str]], query_string: str = "") -> str | None:
    """Return the key in a request's headers, or ``None`` if there is none.

    ``headers`` are pairs of name and value; names in any case. Raises ``UnauthenticatedError``
    for a key in the query string, and if the headers have several different credentials.
    """
    if has_key(query_string):
        raise UnauthenticatedError(
            "A key must not stand in a URL, where logs keep it: send it in a header, and "
            "revoke this one."
        )
    keys = {
        _key_in(name.lower(), value.strip())
        for name, value in headers
        if name.lower() in KEY_HEADERS
    }
    if len(keys) > 1:
        raise UnauthenticatedError("The request carries several keys: send one.")
    return keys.pop() if keys else None


def _key_in(name: str, value: str) -> str:
    """Return the credential in one header; the whole value if its scheme is unknown."""
    if name == "x-api-key":
        return value
    scheme, _, credential = value.partition(" ")
    if scheme.lower() == "basic":
        return _password(credential.strip())
    return credential.strip() if scheme.lower() == "bearer" else value


def _password(credential: str) -> str:
    try:
        decoded = base64.b64decode(credential, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return decoded.partition(":")[2]
