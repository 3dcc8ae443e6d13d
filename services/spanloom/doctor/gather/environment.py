"""Facts about the installed software, and about the destination of exporters in this shell."""

from __future__ import annotations

import platform
import socket
import ssl
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packaging.requirements import Requirement

from spanloom import __version__
from spanloom.doctor.facts import GRPC, HTTP, ExporterFacts, Known, SoftwareFacts, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult


def look_at_software() -> SoftwareFacts:
    """Return the versions, and the packages that violate Spanloom's own requirements."""
    needed = [Requirement(text) for text in _required()]
    used = [r for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
    misfits = [misfit for requirement in used if (misfit := _misfit(requirement))]
    return SoftwareFacts(__version__, platform.python_version(), len(used), misfits)


def _required() -> list[str]:
    try:
        return requires("spanloom") or []
    except PackageNotFoundError:  # run from source
        return []


def _misfit(requirement: Requirement) -> str:
    """Return why a package violates the requirement, empty if it does not."""
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is missing"
    if requirement.specifier.contains(installed, prereleases=True):
        return ""
    return f"{requirement.name} is {installed}, needed is {requirement.specifier}"


_ANSWER_S = 2.0
_PROBE = b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
_FRAME_TYPE, _SETTINGS = 3, 4  # type of the first frame of HTTP/2 (RFC 9113, 3.4 and 4.1)


def look_at_exporter(variables: Mapping[str, str]) -> Known[ExporterFacts]:
    """Return the destination by OpenTelemetry's variables, and the protocol spoken there."""
    endpoint = _variable(variables, "ENDPOINT")
    if not endpoint:
        return Unknown("OTEL_EXPORTER_OTLP_ENDPOINT is not set here")
    protocol = _variable(variables, "PROTOCOL")
    shown = endpoint.rpartition("://")[2].rpartition("@")[2]  # without a password
    try:
        parts = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        return ExporterFacts(shown, protocol, _spoken_at(parts), "")
    except (OSError, ValueError) as error:
        return ExporterFacts(shown, protocol, "", str(error))


def _variable(variables: Mapping[str, str], what: str) -> str:
    """Return a setting; the variable for traces takes precedence over that for all signals."""
    for_traces = variables.get(f"OTEL_EXPORTER_OTLP_TRACES_{what}", "")
    return for_traces or variables.get(f"OTEL_EXPORTER_OTLP_{what}", "")


def _spoken_at(endpoint: SplitResult) -> str:
    """Return the protocol, empty if neither; raises ``OSError`` if there is no answer."""
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
