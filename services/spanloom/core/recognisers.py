"""Finds secrets and personal data in texts.

The regular expressions in ``detect-secrets`` find secrets; numbers are found by their form, and
``python-stdnum`` verifies their check digits. The optional extra ``redaction`` installs both
libraries. Most expressions run in time proportional to the length of the text; the others, from
``detect-secrets``, are applied to one window of the text at a time, so that the time limit can be
checked in between.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError

if TYPE_CHECKING:
    from types import ModuleType

Span = tuple[int, int]
"""Start and end of a match in its text."""
Tick = Callable[[], None]
"""Called between windows; raises when the time limit is exceeded."""
Recogniser = Callable[[str, Tick], Iterator[Span]]

WINDOW = 8 * 1024
"""Length, in characters, of the window to which a regular expression is applied."""
OVERLAP = 2 * 1024
"""Overlap of two windows in characters; a shorter secret is complete in at least one window."""
_DETECTORS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("basic_auth", "BasicAuthDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
"""The detectors in use.

Omitted are detectors that guess by entropy or by the preceding word, and detectors whose
expressions backtrack over runs of spaces.
"""
_MORE_SECRETS = re.compile(
    r"sk-ant-[\w-]{20,200}|sk-proj-[\w-]{20,200}|AIza[\w-]{35}|npm_[A-Za-z0-9]{36}"
    r"|sl_[0-9a-f]{12}_[\w-]{43}"
)
"""Matches keys of Anthropic, OpenAI, Google, npm and Spanloom, which the library does not find."""
_REST_OF_TOKEN = re.compile(r"[\w\-.=/+%~]*")
_KEY_BEGIN, _KEY_END = re.compile(r"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY"), "-----END"

_DOMAIN = re.compile(r"@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_LOCAL = re.compile(r"[\w.%+'-]+\Z")
_LONGEST_LOCAL = 256
_DIGITS = re.compile(r"(?<!\d)\d+(?:[ -]\d+)*")
_CARD = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|6(?:011|5))\d+")
_CARD_DIGITS = range(13, 20)
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?!\w)")
_SHORTEST_IBAN = 15
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_PHONE = re.compile(r"(?<![\w+])\+\d(?:[ ()./-]{0,3}\d){7,14}(?!\d)")
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")


def find_secrets() -> Recogniser:
    """Return a recogniser of keys, tokens and passwords in URLs by their known formats."""
    patterns: list[re.Pattern[str]] = [_MORE_SECRETS]
    for module, detector in _DETECTORS:
        plugin = getattr(_library(f"detect_secrets.plugins.{module}"), detector)
        patterns += plugin.denylist

    def find(text: str, tick: Tick) -> Iterator[Span]:
        yield from _private_keys(text)
        for start in range(0, max(len(text) - OVERLAP, 1), WINDOW - OVERLAP):
            for pattern in patterns:
                tick()
                for match in pattern.finditer(text, start, start + WINDOW):
                    rest = _REST_OF_TOKEN.match(text, match.end())
                    yield match.start(), rest.end() if rest else match.end()

    return find


def find_emails() -> Recogniser:
    """Return a recogniser of email addresses like ``ada@example.com``."""

    def find(text: str, _tick: Tick) -> Iterator[Span]:
        for match in _DOMAIN.finditer(text):
            before = text[max(0, match.start() - _LONGEST_LOCAL) : match.start()]
            if local := _LOCAL.search(before):
                yield match.start() - len(local[0]), match.end()

    return find


def find_cards() -> Recogniser:
    """Return a recogniser of payment card numbers, by prefix and check digit."""
    is_valid: Callable[[str], bool] = _library("stdnum.luhn").is_valid

    def find(text: str, tick: Tick) -> Iterator[Span]:
        for run in _DIGITS.finditer(text):
            if run.end() - run.start() < _CARD_DIGITS[0]:
                continue
            groups = [(g.start(), g.end()) for g in re.finditer(r"\d+", run[0])]
            for first, (start, _) in enumerate(groups):
                tick()  # a run of digits may be as long as the text
                for _, end in groups[first : first + 8]:
                    digits = re.sub("[ -]", "", run[0][start:end])
                    if len(digits) > _CARD_DIGITS[-1]:
                        break
                    if len(digits) in _CARD_DIGITS and _CARD.match(digits) and is_valid(digits):
                        yield run.start() + start, run.start() + end

    return find


def find_ibans() -> Recogniser:
    """Return a recogniser of IBANs, by country, length and check digits."""
    is_valid: Callable[[str], bool] = _library("stdnum.iban").is_valid

    def find(text: str, tick: Tick) -> Iterator[Span]:
        for match in _IBAN.finditer(text):
            tick()
            account = match[0]
            while len(account) >= _SHORTEST_IBAN and not is_valid(account):
                account = account.rpartition(" ")[0]
            if len(account) >= _SHORTEST_IBAN:
                yield match.start(), match.start() + len(account)

    return find


def find_ips() -> Recogniser:
    """Return a recogniser of IP addresses, version 4 and 6."""

    def find(text: str, _tick: Tick) -> Iterator[Span]:
        for pattern in (_IPV4, _IPV6):
            for match in pattern.finditer(text):
                if match[0] != "::" and _is_address(match[0]):
                    yield match.span()

    return find


def find_phones() -> Recogniser:
    """Return a recogniser of phone numbers with a country code: ``+49 30 901820``."""
    return lambda text, _tick: (match.span() for match in _PHONE.finditer(text))


def find_ssns() -> Recogniser:
    """Return a recogniser of US social security numbers, in the format 123-45-6789."""
    is_valid: Callable[[str], bool] = _library("stdnum.us.ssn").is_valid
    return lambda text, _tick: (f.span() for f in _SSN.finditer(text) if is_valid(f[0]))


RECOGNISERS: dict[str, Callable[[], Recogniser]] = {
    "secret": find_secrets,
    "email": find_emails,
    "card": find_cards,
    "iban": find_ibans,
    "ip": find_ips,
    "phone": find_phones,
    "us_ssn": find_ssns,
}
NAMES = tuple(RECOGNISERS)


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise StartupError(
            f"recognisers need {name.partition('.')[0]}: pip install 'spanloom[redaction]'"
        ) from error


def _private_keys(text: str) -> Iterator[Span]:
    """Yield private keys in PEM format; a key without an end extends to the end of the text."""
    stop = 0
    while match := _KEY_BEGIN.search(text, stop):
        end = text.find(_KEY_END, match.end())
        stop = len(text) if end < 0 else end
        yield match.start(), stop


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
