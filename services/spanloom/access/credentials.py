"""Where a request carries its key: the same places over HTTP and in gRPC's metadata.

- ``Authorization: Bearer <key>``: OTLP exporters, the Coze Loop SDKs (their API token), curl.
- ``Authorization: Basic``: the password is the key. Langfuse's SDKs send their public key as the
  user name and their secret key as the password; the user name is not looked at.
- ``x-api-key: <key>``: LangSmith's SDKs.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from spanloom.access.key_text import has_key
from spanloom.core.errors import UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Iterable

KEY_HEADERS = frozenset({"authorization", "x-api-key"})
"""The headers that may carry a key, in lower case."""
CHALLENGE = 'Bearer realm="spanloom"'
"""What ``WWW-Authenticate`` says where a key is missing or wrong."""


def read_key(headers: Iterable[tuple[str, str]], query_string: str = "") -> str | None:
    """Return the key that a request carries, or ``None`` if it carries none.

    ``headers`` are pairs of name and value; names in any case. Raises ``UnauthenticatedError``
    for a key in the query string, and if the headers carry several credentials that differ.
    """
    if has_key(query_string):
        raise UnauthenticatedError(
            "A key must not stand in a URL, where logs keep it: send it in a header, and "
            "revoke this one."
        )
    found = {
        _key_in(name.lower(), value.strip())
        for name, value in headers
        if name.lower() in KEY_HEADERS
    }
    if len(found) > 1:
        raise UnauthenticatedError("The request carries several keys: send one.")
    return found.pop() if found else None


def _key_in(name: str, value: str) -> str:
    """Return the key in one header; the text is not a key of ours if the form is unknown."""
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
