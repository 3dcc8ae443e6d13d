"""Facts about ports and the certificate: their configuration and their current state."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

from spanloom.config.process import is_loopback
from spanloom.config.section import flag_of
from spanloom.core.model.notation import authority
from spanloom.doctor.facts import (
    Broken,
    CertificateFacts,
    ExposureFacts,
    Known,
    PortFacts,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.config.settings import Settings

PORTS = {
    "otlp_grpc": "otlp_grpc_port",
    "otlp_http": "otlp_http_port",
    "api": "api_port",
    "sql": "sql_port",
}
"""The port option of each listening component."""
_CONNECT_S = 2.0
_LISTENING = "0A"
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # to connect to, not to listen on


def look_at_exposure(settings: Settings) -> ExposureFacts:
    """Return the facts on whether other machines can reach the ports, from the options."""
    return ExposureFacts(settings.host, is_loopback(settings.host), settings.insecure)


def look_at_ports(settings: Settings, own: Mapping[str, int] | None = None) -> Sequence[PortFacts]:
    """Return the configured ports; with ``own``, the ports of the running service."""
    ports = {
        option: getattr(settings, option) if own is None else own.get(part, 0)
        for part, option in PORTS.items()
    }
    return [
        _look_at_port(settings.host, port, flag_of(option), is_ours=own is not None)
        for option, port in ports.items()
        if port
    ]


def look_at_certificate(settings: Settings) -> Known[CertificateFacts]:
    """Return the expiry of the certificate."""
    path = settings.tls_cert
    if path is None:
        return Unknown("the ports do not speak TLS")
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415  # 9 MB, for TLS alone

    try:
        certificate = load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as error:
        return Broken(
            f"the certificate {path} cannot be read: {error}",
            "write a certificate in PEM there, or name another with --tls-cert",
        )
    return CertificateFacts(path, int(certificate.not_valid_after_utc.timestamp()) * 10**9)


def _look_at_port(host: str, port: int, flag: str, *, is_ours: bool) -> PortFacts:
    try:
        socket.create_connection((_ANY.get(host, host), port), _CONNECT_S).close()
        answers = True
    except OSError:
        answers = False
    user = _user_of(port) if answers and not is_ours else ""
    return PortFacts(flag, authority(host, port), is_ours, answers, user)


def _user_of(port: int) -> str:
    """Return the process that listens on a port, empty if this account cannot see it."""
    sockets = {f"socket:[{inode}]" for inode in _listening_on(port)}
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if str(link.readlink()) in sockets:
                process = link.parents[1]
                return f"process {process.name} ({(process / 'comm').read_text().strip()})"
        except OSError:  # the process ended, or belongs to another user
            continue
    return ""


def _listening_on(port: int) -> list[str]:
    """Return the inodes of listening sockets, from Linux's tables (proc(5), /proc/net/tcp)."""
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    lines = [line for t in tables if t.exists() for line in t.read_text().splitlines()[1:]]
    rows = [line.split() for line in lines]
    ending = f":{port:04X}"
    return [row[9] for row in rows if row[3] == _LISTENING and row[1].endswith(ending)]
