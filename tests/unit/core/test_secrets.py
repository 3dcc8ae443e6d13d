"""Secrets that the process knows are hidden in every text that it passes on."""

from __future__ import annotations

from base64 import b64encode

import pytest

from spanloom.core import secrets


def test_a_text_without_secrets_stays_as_it_is() -> None:
    assert secrets.hide("the password is hunter2") == "the password is hunter2"


@pytest.mark.parametrize(
    "text",
    [
        "p+ss word!",
        "p%2Bss%20word%21",
        "p%2Bss+word%21",
        b64encode(b"me:p+ss word!").decode(),
    ],
)
def test_a_secret_is_hidden_in_every_form_in_which_it_is_sent(text: str) -> None:
    secrets.remember("p+ss word!", "me")
    assert secrets.hide(f"a{text}b {text}") == "a…b …"


def test_a_short_secret_is_hidden_where_it_is_a_word() -> None:
    secrets.remember("at")
    assert secrets.hide("at that: at, 'at'") == "… that: …, '…'"


def test_the_longer_of_two_secrets_is_hidden_whole() -> None:
    secrets.remember("hunter")
    secrets.remember("hunter2hunter")
    assert secrets.hide("hunter2hunter hunter") == "… …"


def test_no_secret_is_no_secret() -> None:
    secrets.remember("", "me")
    assert secrets.hide("me:") == "me:"
