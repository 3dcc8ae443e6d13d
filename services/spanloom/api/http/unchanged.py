"""Conditional responses: 304 instead of a body that the client has (RFC 9110, 13.1.2)."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any

from fastapi import Header, Response

IfNoneMatch = Annotated[
    str,
    Header(
        description="The `etag` of an earlier response: 304 means that nothing has changed.",
        examples=['W/"9b1c0e6f4a7d2385c1f0e2d4"'],
    ),
]
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {
        "description": "The content that `if-none-match` names has not changed; there is no body."
    }
}


def unless_unchanged(body: bytes, media_type: str, if_none_match: str) -> Response:
    """Return the body with its ``etag``, or 304 if ``if_none_match`` has the same ``etag``.

    The tag is weak, because the same body may be sent compressed or uncompressed.
    """
    etag = f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"etag": etag}
    if etag in map(str.strip, if_none_match.split(",")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
