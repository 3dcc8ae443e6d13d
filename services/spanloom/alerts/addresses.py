"""Checks the URLs and IP addresses of channels, and redacts secrets in URLs.

Every user who may annotate can set the URL of a webhook, and this process connects to it from a
private network. So only public IP addresses are allowed unless the operator allows others. A host
name is resolved once, and the connection goes to the IP address that was checked.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from urllib.parse import SplitResult

HIDDEN = "***"
_PORTS = {"http": 80, "https": 443}
_NAT64 = IPv6Network("64:ff9b::/96")
_PRIVATE = (
    "it is an address of this machine or of a private network; start the service with "
    "--alert-private to allow them"
)


def check_url(url: str, *, allows_private: bool) -> None:
    """Raise ``ValueError`` with the reason for an invalid or forbidden URL.

    Host names are not resolved here, only when a connection is made.
    """
    split = _split(url)
    if split.scheme not in _PORTS:
        raise ValueError("write an address that begins with https:// or http://")
    if not url.isprintable() or " " in url or HIDDEN in url:
        raise ValueError("write the whole address, without blanks and ***")
    if split.username is not None or split.password is not None:
        raise ValueError("an address carries no user and password; `secret_file` signs the body")
    if not split.hostname or split.fragment:
        raise ValueError("write an address such as https://hooks.example.com/agents")
    try:
        split.hostname.encode("idna")
    except UnicodeError:
        raise ValueError("its host is no name") from None
    if not allows_private and _is_plainly_private(split.hostname):
        raise ValueError(_PRIVATE)


def port_of(split: SplitResult) -> int:
    """Return the port of a checked URL, or the default port of its scheme."""
    return split.port or _PORTS[split.scheme]


def is_public(address: str) -> bool:
    """Return whether an IP address is public; embedded IPv4 addresses are checked, too."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(one.is_global and not one.is_multicast for one in _within(parsed))


def redacted_url(kind: str, url: str) -> str:
    """Return a URL without possible secrets: user, query, the path of a Slack webhook."""
    split = _split(url)
    path = f"/{HIDDEN}" if kind == "slack" and split.path.strip("/") else split.path
    query = HIDDEN if split.query else ""
    return urlunsplit((split.scheme, split.netloc.rpartition("@")[2], path, query, ""))


def _split(url: str) -> SplitResult:
    try:
        split = urlsplit(url)
        split.port  # noqa: B018  # raises for an invalid port
    except ValueError:
        raise ValueError("it is no address: its host or its port cannot be read") from None
    return split


def _is_plainly_private(host: str) -> bool:
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return not is_public(name)


def _within(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """Yield the IPv4 addresses embedded in an IPv6 address, or the address if there are none."""
    if isinstance(address, IPv4Address):
        yield address
    elif address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    elif address in _NAT64:
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    elif address.sixtofour is not None:
        yield address.sixtofour
    else:
        yield address
        if address.teredo is not None:
            yield from address.teredo
