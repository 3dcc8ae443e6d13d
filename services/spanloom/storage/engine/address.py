"""The address of a store: a directory, or the hosts of a server, with account and secret files.

``chdb:///path``, or ``clickhouse://user:password@host:8123,other:8123/database``, or
``clickhouses://…`` for TLS. The files are read whenever a connection is opened, so that a new
password or certificate needs no restart.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from spanloom.core.errors import StartupError
from spanloom.core.secrets import remember

if TYPE_CHECKING:
    from collections.abc import Sequence

FORM = "chdb:///path or clickhouse://user:password@host:8123/database"
_SERVER = re.compile(r"clickhouse(s?)://(?:([^/?#]*)@)?([^/?#@]+)(?:/([^/?#]*)/?)?")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s\[\]:,]+)(?::(\d{1,5}))?")
_PORTS = {False: 8123, True: 8443}


class Host(NamedTuple):
    """One host of a server."""

    name: str
    port: int

    def __str__(self) -> str:
        """Return the host as text: ``db:8123``."""
        return f"[{self.name}]:{self.port}" if ":" in self.name else f"{self.name}:{self.port}"


class Server(NamedTuple):
    """A server as named by a URL: its hosts, in the order in which they are tried."""

    hosts: Sequence[Host]
    user: str
    password: str
    database: str
    is_secure: bool


def parse_server(url: str) -> Server | None:
    """Return the server that a URL names; ``None`` for any other URL."""
    found = _SERVER.fullmatch(url)
    if not found:
        return None
    secure, account, hosts, database = found.groups()
    matches = [_HOST.fullmatch(host) for host in hosts.split(",")]
    user, _, password = (account or "").partition(":")
    parsed = [Host(m[1].strip("[]"), int(m[2] or _PORTS[bool(secure)])) for m in matches if m]
    if len(parsed) < len(matches) or not all(0 < host.port < 1 << 16 for host in parsed):
        return None
    return Server(
        tuple(dict.fromkeys(parsed)),
        unquote(user) or "default",
        unquote(password),
        unquote(database or ""),
        bool(secure),
    )


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """The URL of a store, and the options of a server's connections."""

    url: str = ""
    """The URL; empty if it is in the file ``url_file``."""
    url_file: Path | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """The file of certificate authorities to trust, instead of the system's."""
    cert_file: Path | None = None
    """The client certificate with its chain; it authenticates an account without a password."""
    key_file: Path | None = None
    connect_s: float = 3.0

    def __str__(self) -> str:
        """Return the URL without its password, or the name of its file."""
        return without_password(self.url) if self.url else f"of {self.url_file}"

    @property
    def is_embedded(self) -> bool:
        """Whether the URL names an embedded store."""
        return self.url.startswith("chdb:")

    @property
    def path(self) -> Path:
        """The directory of an embedded store: ``/data/store`` of ``chdb:///data/store``."""
        return Path(unquote(urlsplit(self.url).path))

    @property
    def options(self) -> str:
        """The command line options that name this store, without its password."""
        if not self.url_file:
            named = f"--store-url {without_password(self.url)}"
        else:
            named = f"--store-url-file {shlex.quote(str(self.url_file))}"
        files = (
            ("--store-password-file", self.password_file),
            ("--store-ca-file", self.ca_file),
            ("--store-cert-file", self.cert_file),
            ("--store-key-file", self.key_file),
        )
        more = [f"{flag} {shlex.quote(str(file))}" for flag, file in files if file]
        return " ".join([named, *more])

    def read(self) -> Server:
        """Return the server with the current content of its files, and hide its secrets in logs.

        Raises ``StartupError`` if the URL does not name a server, or a file cannot be read.
        """
        url = _text_of(self.url_file) if self.url_file else self.url
        server = parse_server(url)
        if server is None:
            raise StartupError(f"{_named(self)} is no store: use {FORM}")
        if self.password_file:
            server = server._replace(password=_text_of(self.password_file))
        remember(server.password, server.user)
        return server


Where: TypeAlias = "str | StoreAddress"
"""A store, given by its URL or by a ``StoreAddress``."""


def address_of(where: Where) -> StoreAddress:
    """Return ``where`` if it is a ``StoreAddress``, otherwise a ``StoreAddress`` with this URL."""
    return where if isinstance(where, StoreAddress) else StoreAddress(where)


def without_password(url: str) -> str:
    """Return any URL with ``…`` in place of its password."""
    return re.sub(r"^(\w+://[^:/?#]*:)[^?#]*@", r"\1…@", url)


def _named(address: StoreAddress) -> str:
    return f"what {address.url_file} has" if address.url_file else repr(str(address))


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StartupError(f"the file {file} cannot be read: {_why(error)}") from error


def _why(error: OSError | UnicodeDecodeError) -> str:
    """Return the reason for the error, without any content of the file."""
    return str(error.strerror) if isinstance(error, OSError) else "it is no text in UTF-8"
