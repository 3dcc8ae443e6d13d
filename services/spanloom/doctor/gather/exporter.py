"""Facts about the server to which exporters in this shell send: its protocol and its response."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import grpc
import httpx

from spanloom.doctor.facts import GRPC, HTTP, ExporterFacts, Known, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

_ANSWER_S = 2.0
_PROBE = b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_FRAME_TYPE, _SETTINGS = 3, 4  # type of the first frame of HTTP/2 (RFC 9113, 3.4 and 4.1)
_TRACES = "/v1/traces"
_FOR_ALL = "OTEL_EXPORTER_OTLP_ENDPOINT"
_FOR_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
_AS_HTTP = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.UNIMPLEMENTED: 404,
}
"""gRPC statuses that point to wrong settings, as HTTP statuses."""


def look_at_exporter(variables: Mapping[str, str]) -> Known[ExporterFacts]:
    """Return facts about the server in OpenTelemetry's variables: protocol, reply to a request."""
    endpoint = _variable(variables, "ENDPOINT")
    if not endpoint:
        return Unknown("OTEL_EXPORTER_OTLP_ENDPOINT is not set here")
    shown = endpoint.rpartition("://")[2].rpartition("@")[2]  # without a password
    facts = ExporterFacts(
        shown,
        _variable(variables, "PROTOCOL"),
        "",
        "",
        has_scheme="://" in endpoint,
        variable=_FOR_TRACES if variables.get(_FOR_TRACES) else _FOR_ALL,
        is_disabled=variables.get("OTEL_SDK_DISABLED", "").lower() == "true",
    )
    try:
        parts = urlsplit(endpoint if facts.has_scheme else f"http://{endpoint}")
        return _examined(facts, parts, variables)
    except (OSError, ValueError) as error:
        return facts._replace(error=str(error))


def _examined(
    facts: ExporterFacts, endpoint: SplitResult, variables: Mapping[str, str]
) -> ExporterFacts:
    """Return the facts with the server's protocol and response, or its scheme if that differs.

    Raises ``OSError`` if nothing answers under either scheme.
    """
    try:
        facts = facts._replace(speaks=_spoken_at(endpoint))
    except OSError:
        scheme = _other_scheme(endpoint)
        if not scheme:
            raise
        return facts._replace(scheme=scheme)
    if not facts.speaks:
        return facts._replace(scheme=_other_scheme(endpoint))
    return _with_answer(facts, endpoint, variables)


def _other_scheme(endpoint: SplitResult) -> str:
    """Return ``http`` for ``https`` and vice versa if a server answers with it, otherwise ""."""
    if endpoint.port is None:
        return ""
    other = "http" if endpoint.scheme == "https" else "https"
    try:
        return other if _spoken_at(endpoint._replace(scheme=other)) else ""
    except OSError:
        return ""


def _variable(variables: Mapping[str, str], what: str) -> str:
    """Return a setting; the variable for traces has precedence over the one for all signals."""
    for_traces = variables.get(f"OTEL_EXPORTER_OTLP_TRACES_{what}", "")
    return for_traces or variables.get(f"OTEL_EXPORTER_OTLP_{what}", "")


def _with_answer(
    facts: ExporterFacts, endpoint: SplitResult, variables: Mapping[str, str]
) -> ExporterFacts:
    """Send a request without spans, as an SDK would; return the facts with its response."""
    is_grpc = facts.protocol == "grpc"
    if facts.speaks != (GRPC if is_grpc else HTTP):
        return facts
    headers = _headers(_variable(variables, "HEADERS"))
    if is_grpc:
        status, answer = _call(endpoint, headers)
        return facts._replace(status=status, answer=answer)
    path = endpoint.path
    if facts.variable == _FOR_ALL:
        path = path.rstrip("/") + _TRACES
    status, answer = _post(endpoint._replace(path=path).geturl(), headers)
    return facts._replace(path=path or "/", status=status, answer=answer)


def _headers(text: str) -> list[tuple[str, str]]:
    """Parse the value of the headers variable: ``a=b,c=d``, percent-encoded."""
    pairs = (pair.partition("=") for pair in text.split(",") if "=" in pair)
    return [(unquote(name.strip()).lower(), unquote(value.strip())) for name, _, value in pairs]


def _post(url: str, headers: list[tuple[str, str]]) -> tuple[int, str]:
    """Return the status and the message of the HTTP response; 0 if there is no response."""
    typed = [("content-type", "application/json"), *headers]
    try:
        answer = httpx.post(url, content=b"{}", headers=typed, timeout=_ANSWER_S, trust_env=False)
    except (httpx.HTTPError, UnicodeError):
        return 0, ""
    return answer.status_code, _message(answer)


def _message(answer: httpx.Response) -> str:
    """Return the message of OTLP's status, or the detail of a problem document (RFC 9457)."""
    try:
        body = answer.json()
    except ValueError:
        return ""
    message = (body.get("message") or body.get("detail")) if isinstance(body, dict) else ""
    return message if isinstance(message, str) else ""


def _call(endpoint: SplitResult, headers: list[tuple[str, str]]) -> tuple[int, str]:
    """Return the gRPC status as an HTTP status, and the message; 0 if there is no response."""
    if endpoint.scheme == "https":
        return 0, ""
    with grpc.insecure_channel(f"{endpoint.hostname}:{endpoint.port}") as channel:
        try:
            channel.unary_unary(_EXPORT, None, None)(b"", _ANSWER_S, tuple(headers))
        except grpc.RpcError as error:
            return _AS_HTTP.get(error.code(), 0), error.details() or ""
    return 200, ""


def _spoken_at(endpoint: SplitResult) -> str:
    """Return the server's protocol; empty if unknown. Raises ``OSError`` if no server answers."""
    is_tls = endpoint.scheme == "https"
    address = (endpoint.hostname or "", endpoint.port or (443 if is_tls else 80))
    with socket.create_connection(address, _ANSWER_S) as connection:
        return _negotiated(connection, address[0]) if is_tls else _probed(connection)


def _negotiated(connection: socket.socket, host: str) -> str:
    """Return the protocol negotiated over TLS (gRPC is ``h2``); the certificate is not verified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with context.wrap_socket(connection, server_hostname=host) as secured:
        return GRPC if secured.selected_alpn_protocol() == "h2" else HTTP


def _probed(connection: socket.socket) -> str:
    connection.sendall(_PROBE)
    answer = connection.recv(64)
    if answer.startswith(b"HTTP/"):
        return HTTP
    is_settings = len(answer) > _FRAME_TYPE and answer[_FRAME_TYPE] == _SETTINGS
    return GRPC if is_settings else ""
