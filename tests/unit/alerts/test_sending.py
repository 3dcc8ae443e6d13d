"""Sending one message to one channel: signed, limited in time, and only to a checked address."""

from __future__ import annotations

import asyncio
import hmac
import os
import socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.webhooks import receiving

from spanloom.alerts.definition import Channel
from spanloom.alerts.sending import DeliveryError, HttpSender

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.webhooks import Webhooks

pytestmark = pytest.mark.engine  # it listens on a port

BODY = b'{"id":"1"}'


@pytest.fixture
def hooks() -> Iterator[Webhooks]:
    with receiving() as made:
        yield made


def send(url: str, secret: Path | str | None = None, **options: Any) -> None:
    async def once() -> None:
        sender = HttpSender(**options)
        try:
            file = None if secret is None else str(secret)
            await sender.send(Channel(kind="webhook", url=url, secret_file=file), BODY)
        finally:
            await sender.close()

    asyncio.run(once())


def refused(url: str, secret: Path | str | None = None, **options: Any) -> str:
    with pytest.raises(DeliveryError) as error:
        send(url, secret, **options)
    return str(error.value)


def test_a_body_is_signed_with_the_content_of_a_file(hooks: Webhooks, tmp_path: Path) -> None:
    (file := tmp_path / "secret").write_text("hush\n")
    send(f"{hooks.url}/a?b=1", file, allows_private=True)
    (got,) = hooks.received
    assert (got.path, got.body) == ("/a?b=1", BODY)
    assert got.headers["spanloom-signature"] == hmac.new(b"hush", BODY, "sha256").hexdigest()
    assert got.headers["content-type"] == "application/json"
    assert got.headers["host"] == hooks.url.removeprefix("http://")


def test_a_secret_that_cannot_be_read_is_not_waited_for(hooks: Webhooks, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").write_text("\n")
    for name in ("none", "pipe", "empty", "."):
        reason = refused(hooks.url, tmp_path / name, allows_private=True)
        assert reason.startswith("`secret_file`"), name
        assert str(tmp_path) not in reason
    assert hooks.received == []


def test_no_answer_but_2xx_has_taken_it(hooks: Webhooks) -> None:
    for status in (400, 404, 429, 500, 503):
        hooks.status = status
        assert refused(hooks.url, allows_private=True) == f"it answered {status}"


def test_a_redirect_is_not_followed(hooks: Webhooks) -> None:
    with receiving() as inner:
        hooks.status, hooks.location = 307, inner.url
        assert refused(hooks.url, allows_private=True) == "it answered 307"
        assert inner.received == []


def test_a_whole_try_has_a_limit(hooks: Webhooks) -> None:
    hooks.drips_s = 0.05
    assert refused(hooks.url, allows_private=True, try_s=0.3) == "it took more than 0.3 s"


def test_one_that_is_not_there_is_named_without_its_address() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/secret"
        assert refused(url, allows_private=True) == "no connection: ConnectError"


def test_private_addresses_are_refused_whatever_leads_there(
    hooks: Webhooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = hooks.url.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0"):
        assert "--alert-private" in refused(f"http://{host}:{port}/"), host
    for found in (["93.184.216.34", "10.0.0.7"], ["::ffff:127.0.0.1"], ["169.254.169.254"]):
        monkeypatch.setattr(socket, "getaddrinfo", _answers(found))
        assert "--alert-private" in refused(f"http://hooks.example.com:{port}/"), found
    assert hooks.received == []


def test_a_name_is_resolved_once(hooks: Webhooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host name is resolved once, so that the message goes to the address that was checked."""
    asked: list[str] = []

    def resolve(host: str, port: int, *_: object, **__: object) -> Any:
        if host.endswith("example.com"):
            asked.append(host)
        return _place("127.0.0.1", port)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    port = hooks.url.rpartition(":")[2]
    send(f"http://hooks.example.com:{port}/", allows_private=True)
    assert asked == ["hooks.example.com"]
    assert hooks.received[0].headers["host"] == f"hooks.example.com:{port}"


def _answers(addresses: list[str]) -> Any:
    def resolve(_host: str, port: int, *_: object, **__: object) -> Any:
        return [place for one in addresses for place in _place(one, port)]

    return resolve


def _place(address: str, port: int) -> Any:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return [(family, socket.SOCK_STREAM, 6, "", (address, port))]
