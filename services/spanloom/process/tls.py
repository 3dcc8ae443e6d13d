"""TLS for all ports: one certificate, reloaded when its files change."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, NamedTuple

import grpc

from spanloom.core.errors import StartupError
from spanloom.logs import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from pathlib import Path

POLL_S = 1.0
"""Seconds between checks for a renewed certificate."""


class _Pair(NamedTuple):
    """A certificate with its chain, and its key, both PEM."""

    certificate: bytes
    key: bytes


class TlsFiles(RepeatingPart):
    """The certificate of this process; a ``Part`` that reloads it between ``start`` and ``stop``.

    If certificate and key do not match, for example in the middle of a renewal, that is logged, and
    the old certificate is used until they match. ``client_ca`` is read only at the start.
    """

    name = "tls"

    def __init__(
        self, certificate: Path, key: Path, client_ca: Path | None = None, poll_s: float = POLL_S
    ) -> None:
        """Read the files; raises ``StartupError`` if they cannot be used."""
        super().__init__(poll_s)
        self._files = (certificate, key)
        self._client_ca = client_ca
        self._contexts: list[ssl.SSLContext] = []
        try:
            self._pair = self._read()
            self._authority = client_ca.read_bytes() if client_ca else None
            self.http_context(ask_clients=True)
        except OSError as error:  # also ssl.SSLError, a subclass
            raise StartupError(
                f"the TLS files {certificate} and {key}"
                f"{f' with {client_ca}' if client_ca else ''} cannot be used: {error}"
            ) from error

    def http_context(self, *, ask_clients: bool) -> ssl.SSLContext:
        """Return a context for an HTTP server, kept up to date.

        With ``ask_clients`` and a client CA, clients without a certificate issued by it are
        refused.
        """
        context = _new_context()
        context.load_cert_chain(*self._files)
        if ask_clients and self._client_ca:
            context.load_verify_locations(self._client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        self._contexts.append(context)
        return context

    def grpc_credentials(self) -> grpc.ServerCredentials:
        """Return credentials for a gRPC server, kept up to date, with the same client CA."""
        served = self._pair

        def fetch() -> grpc.ServerCertificateConfiguration | None:
            nonlocal served
            if served is self._pair:
                return None  # None: the certificate is unchanged
            served = self._pair
            return self._for_grpc(served)

        return grpc.dynamic_ssl_server_credentials(
            self._for_grpc(served),
            fetch,  # type: ignore[arg-type]  # gRPC documents None as: unchanged
            require_client_authentication=self._authority is not None,
        )

    def _for_grpc(self, pair: _Pair) -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration(
            [(pair.key, pair.certificate)], root_certificates=self._authority
        )

    def _round(self) -> None:
        try:
            pair = self._read()
            if pair != self._pair:
                for context in self._contexts:
                    context.load_cert_chain(*self._files)
                self._pair = pair
                get_logger(self.name).info("the certificate was renewed")
        except OSError as error:
            get_logger(self.name).warning("TLS files cannot be used", error=str(error))

    def _read(self) -> _Pair:
        """Return the files' contents; raises ``ssl.SSLError`` if they do not match."""
        pair = _Pair(*(file.read_bytes() for file in self._files))
        _new_context().load_cert_chain(*self._files)
        return pair


def _new_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
