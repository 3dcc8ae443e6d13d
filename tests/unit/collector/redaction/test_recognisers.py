"""Recognisers for redaction: what they find, what they leave alone, and their time on any text."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from spanloom.collector.intake.redaction.rules import Action, Place, Rule
from spanloom.collector.intake.redaction.walk import MAX_TEXT, MAX_VALUE_S, Matches, Walk
from spanloom.core.recognisers import NAMES, RECOGNISERS, WINDOW

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


def masked(name: str, text: str) -> str:
    walk = Walk([Rule("x", Action.MASK, recognisers=(name,))], b"")
    return walk.text(Place.STATUS, text, Counter())


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("secret", "AKIAIOSFODNN7EXAMPLE"),
        ("secret", "ghp_Zk3Vq8Rt5Yw1Xn6Mb4Lc9Jd2Hf7Gs0Pa8Ue1"),
        ("secret", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"),
        ("secret", "sl_0f3a9c5b7d21_" + "a" * 43),
        ("secret", JWT),
        ("secret", "xoxb-123456789012-abcdefABCDEF"),
        ("email", "ada.lovelace+x@mail.example.co.uk"),
        ("email", "zoë@example.org"),
        ("card", "4111 1111 1111 1111"),
        ("card", "5500-0000-0000-0004"),
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("iban", "GB82WEST12345698765432"),
        ("ip", "192.168.17.4"),
        ("ip", "2001:db8::8a2e:370:7334"),
        ("phone", "+49 30 901820"),
        ("phone", "+1 (415) 555-2671"),
        ("us_ssn", "536-90-4399"),
    ],
)
def test_found_anywhere_in_a_text(name: str, found: str) -> None:
    assert masked(name, found) == "[redacted:x]"
    assert masked(name, f"see {found}, please") == "see [redacted:x], please"
    padded = "words " * 3000
    assert masked(name, f"{padded}{found} {padded}") == f"{padded}[redacted:x] {padded}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("card", "4111 1111 1111 1112"),
        ("card", "1763600000000000000"),
        ("email", "a @ b, user@localhost"),
        ("iban", "DE00 3704 0044 0532 0130 00"),
        ("ip", "std::vector 1.2.3 999.1.1.1 12:30:45"),
        ("phone", "1 + 2 = 3, +12"),
        ("secret", "the password is secret; sk-short; https://example.org/a:b@c"),
        ("us_ssn", "2026-11-22 000-00-0000"),
    ],
)
def test_left_alone(name: str, text: str) -> None:
    assert masked(name, text) == text


@pytest.mark.parametrize("place", [1, 2, 3])
def test_a_secret_across_the_border_of_a_window_is_found(place: int) -> None:
    before = " " * (place * WINDOW - 10)
    assert masked("secret", f"{before}AKIAIOSFODNN7EXAMPLE ") == f"{before}[redacted:x] "


def test_a_card_behind_another_number() -> None:
    assert masked("card", "7 4111 1111 1111 1111") == "7 [redacted:x]"


@pytest.mark.parametrize("text", [PEM, PEM.replace("\n", "\\n"), PEM[:60]])
def test_private_keys_go_with_what_they_hold(text: str) -> None:
    assert "MIIEow" not in masked("secret", f"key: {text}")


HOSTILE = ("eyJ", "a@", "4 ", "DE89", ":")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_costs_a_bounded_time(name: str, piece: str) -> None:
    text = (piece * MAX_TEXT)[:MAX_TEXT]
    began = time.thread_time()
    masked(name, text)
    assert time.thread_time() - began < 20 * MAX_VALUE_S


def test_what_is_beyond_the_bounds_is_masked_whole() -> None:
    walk = Walk([Rule("x", Action.MASK, recognisers=("email",))], b"")
    found: Matches = Counter()
    assert walk.value(Place.SPAN, "k", "a" * (MAX_TEXT + 1), found) == "[redacted:unchecked]"
    assert walk.value(Place.SPAN, "k", "[" * 100_000, found) == "[redacted:unchecked]"
    assert walk.value(Place.SPAN, "k", "[" * 90 + "]" * 90, found) == "[redacted:unchecked]"
    assert found == {("unchecked", Action.MASK): 3}


def test_every_recogniser_can_be_made() -> None:
    assert all(make() for make in RECOGNISERS.values())
