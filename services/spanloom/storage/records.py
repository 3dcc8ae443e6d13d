"""Spool records as the store reads them: requests with our fields behind, each framed by length.

A protobuf message followed by further fields is still one message (``proto/README.md``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.ports import SpooledRequest

_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_SEQ, _PROJECT, _ACCEPTED_AT = 1000, 1001, 1002


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


_SEQ_TAG = _varint(_SEQ << 3 | _VARINT)
_PROJECT_TAG = _varint(_PROJECT << 3 | _LENGTH)
_ACCEPTED_AT_TAG = _varint(_ACCEPTED_AT << 3 | _FIXED64)


def frame_records(requests: Iterable[SpooledRequest]) -> bytes:
    """Join the requests for one INSERT."""
    parts: list[bytes] = []
    for request in requests:
        project = request.project.encode()
        fields = b"".join(
            (
                *(_SEQ_TAG, _varint(request.seq)),
                *(_PROJECT_TAG, _varint(len(project)), project),
                *(_ACCEPTED_AT_TAG, request.accepted_at_ns.to_bytes(8, "little")),
            )
        )
        parts += (_varint(len(request.body) + len(fields)), request.body, fields)
    return b"".join(parts)
