"""Reads a form: clickhouse-connect sends long parameters so, for no URL holds them."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP

from spanloom.core.ports.sql import SqlError


def is_form(content_type: str) -> bool:
    """Return whether a body is a form, by its header."""
    return content_type.lower().startswith("multipart/form-data")


def read_form(content_type: str, body: bytes) -> dict[str, str]:
    """Return the fields; raises ``SqlError`` for files, which would be tables, and what is none."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form = BytesParser(policy=HTTP).parsebytes(head + body)
    if not form.is_multipart():
        raise SqlError(36, "BAD_ARGUMENTS", "The body is no form, though its header says so")
    fields: dict[str, str] = {}
    for part in form.iter_parts():
        if part.get_filename() is not None:
            raise SqlError(
                48, "NOT_IMPLEMENTED", "Tables sent along with a statement are not taken"
            )
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content.decode(errors="replace")
    return fields
