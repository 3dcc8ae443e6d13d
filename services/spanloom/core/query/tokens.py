"""Splits a text into the words by which it is found, exactly as the index of the store does.

Everything is lower case. A word is a sequence of letters and digits; in Chinese, Japanese and
Korean each character is one. Example: ``Order ORD-1234: 退款`` has ``order``, ``ord``, ``1234``,
``退`` and ``款``.

The ranges are those of the preprocessor of ``step_texts`` (``09_texts.sql``), in the order of the
engine: lower case first, then a space around each such character, then whatever is ASCII and no
letter or digit parts words. A property test holds both equal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ALONE = "\u2010-\u2027\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
"""Characters that are each a word, as ranges of a regular expression."""
YOUNG = {
    0x1C89: 0x1C8A,
    0xA7CB: 0x264,
    0xA7CC: 0xA7CD,
    0xA7CE: 0xA7CF,
    0xA7D2: 0xA7D3,
    0xA7D4: 0xA7D5,
    0xA7DA: 0xA7DB,
    0xA7DC: 0x19B,
    **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},
    **{code: code + 0x1B for code in range(0x16EA0, 0x16EB9)},
}
"""Capital letters known to the engine's Unicode and not to that of Python 3.11."""
_TOKEN = re.compile(f"[{ALONE}]|(?:[0-9A-Za-z]|[^\\x00-\\x7f{ALONE}])+")


class Token(NamedTuple):
    """A word of a text, and its position."""

    word: str
    start: int
    end: int


def tokenize(text: str) -> list[str]:
    """Return the words of a text in order."""
    return _TOKEN.findall(_lower(text))


def place_tokens(text: str) -> Iterator[Token]:
    """Yield the words of a text with their positions, as they are reached."""
    for found in _TOKEN.finditer(text):
        yield Token(_lower(found.group()), found.start(), found.end())


def _lower(text: str) -> str:
    lower = text.lower()
    return lower if lower.isascii() else lower.translate(YOUNG)
