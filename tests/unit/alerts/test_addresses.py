"""Which addresses a webhook may have, and how they are shown without their secrets."""

from __future__ import annotations

import pytest

from spanloom.alerts.addresses import check_url, is_public, redacted_url


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1"),
        *("::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1%eth0", "hello", ""),
    ],
)
def test_these_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_these_are_public() -> None:
    for address in ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"):
        assert is_public(address), address


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://a.example/", "file:///etc/passwd", "//a.example/", "a.example", "javascript:1"),
        *("https://u:p@a.example/", "https://u@a.example/", "https:///x", "https://a.example/#x"),
        *("https://a.example:99999/", "https://a.example:x/", "https://[::1/", "https://a b/"),
        *("https://a.example/\n", "https://a.example/***", f"https://{'a' * 70}.example/"),
        *("http://127.0.0.1/", "http://LOCALHOST./", "http://a.localhost/", "http://[::1]/"),
    ],
)
def test_hostile_addresses_are_refused_as_they_are_put(url: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as error:
        check_url(url, allows_private=False)
    assert "u:p" not in str(error.value)


def test_addresses_are_shown_without_what_may_be_a_secret() -> None:
    assert redacted_url("webhook", "https://a.example:8443/x?t=1") == "https://a.example:8443/x?***"
    assert redacted_url("slack", "https://hooks.slack.com/services/T/B/x") == (
        "https://hooks.slack.com/***"
    )
    assert redacted_url("alertmanager", "http://am:9093/api/v2/alerts") == (
        "http://am:9093/api/v2/alerts"
    )
