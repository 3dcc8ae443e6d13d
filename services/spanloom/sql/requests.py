"""Parses requests to ClickHouse's HTTP interface: URL, headers, body and forms."""

from __future__ import annotations

import re
from email.parser import BytesParser
from email.policy import HTTP
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from spanloom.core.ports.sql import SqlError
from spanloom.sql import codings, frames

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_form(content_type: str) -> bool:
    """Return whether a content type is a multipart form."""
    return content_type.lower().startswith("multipart/form-data")


def read_form(content_type: str, body: bytes) -> dict[str, str]:
    """Return the fields of a form; raises ``SqlError`` if it is invalid or has files (tables)."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form = BytesParser(policy=HTTP).parsebytes(head + body)
    if not form.is_multipart():
        raise SqlError(36, "BAD_ARGUMENTS", "The body is not a form, although its header says so")
    fields: dict[str, str] = {}
    for part in form.iter_parts():
        if part.get_filename() is not None:
            raise SqlError(48, "NOT_IMPLEMENTED", "Tables sent with a statement are not accepted")
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = content.decode(errors="replace")
    return fields


DEFAULT_FORMAT = "TabSeparated"
_JSON_LINES = "application/x-ndjson; charset=UTF-8"
_BINARY = "application/octet-stream"


def content_type(fmt: str) -> str:
    """Return the ``Content-Type`` that ClickHouse sends for a format."""
    if fmt.startswith("JSON"):
        return _JSON_LINES if "EachRow" in fmt else "application/json; charset=UTF-8"
    if fmt.startswith(("TabSeparated", "TSV")):
        return "text/tab-separated-values; charset=UTF-8"
    if fmt.startswith("CSV"):
        return "text/csv; charset=UTF-8; header=" + ("present" if "Names" in fmt else "absent")
    if fmt.startswith(("Native", "RowBinary", "Parquet", "Arrow", "ORC", "Avro", "MsgPack", "Raw")):
        return _BINARY
    return "application/xml; charset=UTF-8" if fmt == "XML" else "text/plain; charset=UTF-8"


_PARAMETER = "param_"
_QUERY_ID = re.compile(r"[\x21-\x7e]{1,128}")
_NOT_SETTINGS = frozenset(
    {
        *("query", "default_format", "database", "query_id", "session_id", "session_timeout"),
        *("session_check", "close_session", "compress", "decompress", "client_protocol_version"),
        *("enable_http_compression", "replace_running_query", "user", "password", "quota_key"),
        *("role", "stacktrace"),
    }
)
"""URL arguments that are not settings; user and password have been checked before."""
SESSION_S, MOST_SESSION_S = 60, 3600


class Query(NamedTuple):
    """One statement, and how to send its response."""

    in_url: str
    """The statement, or its beginning; empty if the statement is in the body."""
    body: bytes
    """The decoded body."""
    format: str
    database: str
    settings: Mapping[str, str]
    parameters: Mapping[str, str]
    query_id: str
    replaces: bool
    """Whether to cancel a running statement of the same id."""
    session_id: str
    session_s: int
    session_check: bool
    closes_session: bool
    in_frames: bool
    coding: str
    revision: int

    @property
    def text(self) -> str:
        """The complete statement; raises ``SqlError`` if it is not UTF-8."""
        try:
            return "\n".join(filter(None, (self.in_url, self.body.decode())))
        except UnicodeDecodeError as error:
            raise SqlError(62, "SYNTAX_ERROR", f"The statement is no UTF-8: {error}") from error


def parse_query(
    arguments: Mapping[str, str], headers: Mapping[str, str], body: bytes, limit: int
) -> Query:
    """Parse a request; ``headers`` has lower-case names. Raises ``SqlError`` if invalid."""
    plain = _plain_body(arguments, headers, body, limit)
    if is_form(kind := headers.get("content-type", "")):
        arguments, plain = {**read_form(kind, plain), **arguments}, b""
    query_id = arguments.get("query_id") or str(uuid4())
    if not is_query_id(query_id):
        raise SqlError(36, "BAD_ARGUMENTS", "query_id takes 1 to 128 printable ASCII characters")
    return Query(
        in_url=arguments.get("query", ""),
        body=plain,
        format=arguments.get("default_format")
        or headers.get("x-clickhouse-format")
        or DEFAULT_FORMAT,
        database=arguments.get("database") or headers.get("x-clickhouse-database", ""),
        settings=_settings(arguments),
        parameters={
            name.removeprefix(_PARAMETER): value
            for name, value in arguments.items()
            if name.startswith(_PARAMETER)
        },
        query_id=query_id,
        replaces=is_on(arguments, "replace_running_query"),
        session_id=arguments.get("session_id", ""),
        session_s=min(_number(arguments, "session_timeout", SESSION_S), MOST_SESSION_S),
        session_check=is_on(arguments, "session_check"),
        closes_session=is_on(arguments, "close_session"),
        in_frames=is_on(arguments, "compress"),
        coding=codings.choose(headers.get("accept-encoding", ""))
        if is_on(arguments, "enable_http_compression")
        else "",
        revision=_number(arguments, "client_protocol_version", 0),
    )


def is_query_id(text: str) -> bool:
    """Return whether a text is a valid query id, which is returned in a header."""
    return bool(_QUERY_ID.fullmatch(text))


def is_on(arguments: Mapping[str, str], name: str) -> bool:
    """Return whether an argument is ``1`` or ``true``."""
    return arguments.get(name, "0").lower() in ("1", "true")


def _plain_body(
    arguments: Mapping[str, str], headers: Mapping[str, str], body: bytes, limit: int
) -> bytes:
    plain = codings.decode(body, headers.get("content-encoding", ""), limit)
    return frames.decode(plain, limit) if is_on(arguments, "decompress") else plain


def _settings(arguments: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in arguments.items()
        if name not in _NOT_SETTINGS and not name.startswith(_PARAMETER)
    }


def _number(arguments: Mapping[str, str], name: str, default: int) -> int:
    text = arguments.get(name, "")
    if text and not (text.isascii() and text.isdigit()):
        raise SqlError(72, "CANNOT_PARSE_NUMBER", f"{name} takes a number, not {text!r}")
    return int(text[:18]) if text else default
