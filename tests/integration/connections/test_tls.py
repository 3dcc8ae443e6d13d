"""TLS to a server, with authorities and certificates of our own: in front of it, by a proxy."""

from __future__ import annotations

import ssl
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest
import trustme
from tests.support.configured_server import SECRET, ConfiguredServer
from tests.support.host_link import host_link

from spanloom.core.errors import StartupError
from spanloom.storage.engine.address import StoreAddress
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.service


class Secured(NamedTuple):
    """A server that speaks TLS and demands certificates of an authority."""

    url: str
    ca: Path
    cert: Path
    key: Path


@pytest.fixture
def secured(server: ConfiguredServer, tmp_path: Path) -> Iterator[Secured]:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    with host_link(server.port, context) as link:
        found = Secured(
            f"clickhouses://owner:{SECRET}@127.0.0.1:{link.port}/spanloom",
            *(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")),
        )
        authority.cert_pem.write_to_path(found.ca)
        write_certificate(authority, found)
        yield found


def write_certificate(authority: trustme.CA, files: Secured) -> None:
    own = authority.issue_cert("collect@traces")
    own.private_key_pem.write_to_path(files.key)
    own.cert_chain_pems[0].write_to_path(files.cert)


def test_a_server_of_an_own_authority_that_demands_certificates(secured: Secured) -> None:
    address = StoreAddress(
        secured.url, ca_file=secured.ca, cert_file=secured.cert, key_file=secured.key
    )
    with closing(open_store(address)) as store:
        store.ping()


def test_without_the_authority_the_reason_is_said(secured: Secured) -> None:
    with pytest.raises(StartupError, match="certificate verify failed") as refusal:
        open_store(StoreAddress(secured.url, cert_file=secured.cert, key_file=secured.key))
    assert SECRET not in str(refusal.value)


def test_without_a_certificate_nothing_is_opened(secured: Secured) -> None:
    with pytest.raises(StartupError, match="cannot be reached"):
        open_store(StoreAddress(secured.url, ca_file=secured.ca))


def test_certificates_of_another_authority_are_refused_until_the_file_changes(
    secured: Secured,
) -> None:
    right = secured.ca.read_bytes()
    trustme.CA().cert_pem.write_to_path(secured.ca)
    address = StoreAddress(
        secured.url, ca_file=secured.ca, cert_file=secured.cert, key_file=secured.key
    )
    with pytest.raises(StartupError, match="certificate verify failed"):
        open_store(address)
    secured.ca.write_bytes(right)
    with closing(open_store(address)) as store:
        store.ping()
