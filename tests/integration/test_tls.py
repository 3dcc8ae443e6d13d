"""TLS on every port: certificates, their renewal at run time, and client certificates."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import httpx
import pytest
import trustme

from spanloom import Client
from spanloom.client.errors import UnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

RENEWED_S = 30.0
"""A renewed certificate is served within 2 s; a busy machine gets more."""
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


@dataclass
class Files:
    """A certificate authority, and the files from which a service reads its certificate and key."""

    folder: Path
    authority: trustme.CA

    @property
    def options(self) -> list[str]:
        return [f"--tls-cert={self.folder / 'cert.pem'}", f"--tls-key={self.folder / 'key.pem'}"]

    def issue(self) -> bytes:
        """Write a new certificate for loopback and return it as DER."""
        issued = self.authority.issue_cert("127.0.0.1", "localhost")
        issued.private_key_pem.write_to_path(self.folder / "key.pem")
        with (self.folder / "cert.pem").open("wb") as file:
            for part in issued.cert_chain_pems:
                file.write(part.bytes())
        return ssl.PEM_cert_to_DER_cert(issued.cert_chain_pems[0].bytes().decode())

    def trusting(self) -> ssl.SSLContext:
        """Return an SSL context for clients that trusts only this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.authority.configure_trust(context)
        return context


@pytest.fixture
def files(tmp_path: Path) -> Files:
    made = Files(tmp_path / "tls", trustme.CA())
    made.folder.mkdir()
    made.issue()
    return made


def certificate_of(url: str, context: ssl.SSLContext) -> bytes:
    """Return the certificate that an HTTPS port presents, as DER."""
    with httpx.Client(verify=context) as client, client.stream("GET", f"{url}/healthz") as answer:
        shown = answer.extensions["network_stream"].get_extra_info("ssl_object")
        certificate: bytes = shown.getpeercert(True)  # positional, as the C type requires
        return certificate


def export(service: RunningSpanloom, credentials: grpc.ChannelCredentials) -> None:
    address = service.addresses["otlp_grpc"].removeprefix("https://")
    with grpc.secure_channel(address, credentials) as channel:
        channel.unary_unary(EXPORT, None, None)(b"", timeout=30)


def soon(is_so: Callable[[], bool]) -> bool:
    until = time.monotonic() + RENEWED_S
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.1)
    return False


def test_every_port_speaks_tls_and_a_renewed_certificate_is_served(
    start_spanloom: StartSpanloom, files: Files
) -> None:
    service = start_spanloom("serve", *files.options)
    assert all(service.addresses[n].startswith("https://") for n in ("api", "otlp_http"))
    context = files.trusting()
    receiver, api = service.addresses["otlp_http"], service.api
    root = files.authority.cert_pem.bytes()
    with httpx.Client(verify=context) as client:
        kind = {"content-type": "application/json"}
        assert client.post(f"{receiver}/v1/traces", content=b"{}", headers=kind).status_code == 200
        assert client.get(f"{api}/healthz").status_code == 200
    export(service, grpc.ssl_channel_credentials(root))
    for url in (api, receiver):
        with pytest.raises(httpx.TransportError):
            httpx.get(url.replace("https:", "http:"))
    with pytest.raises(UnreachableError), Client(api, tries=1) as untrusting:
        untrusting.document("0" * 32)

    (files.folder / "cert.pem").write_text("a renewal that is only half done")
    time.sleep(1.5)
    assert certificate_of(api, context)
    export(service, grpc.ssl_channel_credentials(root))

    files.authority = trustme.CA()  # clients that trust only the old one fail now
    renewed = files.issue()
    new = files.trusting()

    def is_renewed() -> bool:
        try:
            return certificate_of(api, new) == certificate_of(receiver, new) == renewed
        except httpx.TransportError:
            return False

    assert soon(is_renewed)
    export(service, grpc.ssl_channel_credentials(files.authority.cert_pem.bytes()))
    with pytest.raises(grpc.RpcError):
        export(service, grpc.ssl_channel_credentials(root))
    assert service.stop() == 0


def test_senders_without_a_certificate_are_refused(
    start_spanloom: StartSpanloom, files: Files
) -> None:
    senders = trustme.CA()
    senders.cert_pem.write_to_path(files.folder / "senders.pem")
    service = start_spanloom(
        "serve", *files.options, f"--tls-client-ca={files.folder / 'senders.pem'}"
    )
    root = files.authority.cert_pem.bytes()
    receiver = f"{service.addresses['otlp_http']}/v1/traces"
    known, stranger = senders.issue_cert("sender"), trustme.CA().issue_cert("stranger")
    kind = {"content-type": "application/json"}
    for certificate in (None, stranger):
        context = files.trusting()
        pair: tuple[bytes | None, bytes | None] = (None, None)
        if certificate:
            certificate.configure_cert(context)
            chain = b"".join(part.bytes() for part in certificate.cert_chain_pems)
            pair = (certificate.private_key_pem.bytes(), chain)
        with pytest.raises(httpx.TransportError), httpx.Client(verify=context) as client:
            client.post(receiver, content=b"{}", headers=kind)
        with pytest.raises(grpc.RpcError):
            export(service, grpc.ssl_channel_credentials(root, *pair))

    context = files.trusting()
    known.configure_cert(context)
    with httpx.Client(verify=context) as client:
        assert client.post(receiver, content=b"{}", headers=kind).status_code == 200
    chain = b"".join(part.bytes() for part in known.cert_chain_pems)
    export(service, grpc.ssl_channel_credentials(root, known.private_key_pem.bytes(), chain))
    with httpx.Client(verify=files.trusting()) as client:  # the API needs none
        assert client.get(f"{service.api}/healthz").status_code == 200


@pytest.mark.parametrize(
    ("options", "told", "status"),
    [
        (["--tls-cert=cert.pem"], "--tls-key", 2),
        (["--tls-client-ca=cert.pem"], "--tls-cert", 2),
        (["--tls-cert=missing.pem", "--tls-key=key.pem"], "missing.pem", 1),
        (["--tls-cert=key.pem", "--tls-key=key.pem"], "cannot be used", 1),
    ],
)
def test_bad_files_stop_the_start_in_one_line(
    options: list[str], told: str, status: int, run_spanloom: RunSpanloom, files: Files
) -> None:
    in_folder = [option.replace("=", f"={files.folder}/") for option in options]
    ended = run_spanloom("serve", *in_folder, f"--data-dir={files.folder / 'data'}")
    assert (ended.returncode, ended.stdout) == (status, "")
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1
