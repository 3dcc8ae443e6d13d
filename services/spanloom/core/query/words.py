"""Splits texts into words, by rules for which characters separate words or are words themselves.

A word is a sequence of letters, digits and their combining marks. Punctuation, symbols, spaces and
control characters separate words, in every script. Each emoji is a word, and so is each character
of scripts without spaces: Chinese, Japanese, Korean, Thai, Lao, Khmer, Myanmar, Tibetan, Javanese …
Texts and queries are compared composed (NFC) and in lower case.

Only this module declares these rules. ``tokenize`` applies them to queries and snippets, and the
store's text index (``storage/texts/search.py``) is derived from them, so it needs a migration if
they change. The ranges are written out, because Python and ClickHouse have different versions of
Unicode. Example: ``¿Dónde: «narwhal» 退款?`` has ``dónde``, ``narwhal``, ``退`` and ``款``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTING = """
80-a9 ab-b1 b4 b6-b8 bb bf d7 f7 2c2-2c5 2d2-2df 2e5-2eb 2ed 2ef-2ff 375 37e 384-385 387 3f6 482
55a-55f 589-58f 5be 5c0 5c3 5c6 5f3-60f 61b-61f 66a-66d 6d4 6dd-6de 6e9 6fd-6fe 700-70f 7f6-7f9
7fe-7ff 830-83e 85e 888 890-891 8e2 964-965 970 9f2-9f3 9fa-9fb 9fd a76 af0-af1 b70 bf3-bfa c77
c7f c84 d4f d79 df4 e3f e4f e5a-e5b f01-f17 f1a-f1f f34 f36 f38 f3a-f3d f85 fbe-fc5 fc7-fda
104a-104f 109e-109f 10fb 1360-1368 1390-1399 1400 166d-166e 1680 169b-169c 16eb-16ed 1735-1736
17d4-17d6 17d8-17db 1800-180a 180e 1940-1945 19de-19ff 1a1e-1a1f 1aa0-1aa6 1aa8-1aad 1b5a-1b6a
1b74-1b7e 1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 1fbd 1fbf-1fc1 1fcd-1fcf 1fdd-1fdf
1fed-1fef 1ffd-206f 207a-207e 208a-208e 20a0-20c0 2100-2101 2103-2106 2108-2109 2114 2116-2118
211e-2123 2125 2127 2129 212e 213a-213b 2140-2144 214a-214d 214f 218a-244a 249c-24e9 2500-25ff
27c0-2bff 2ce5-2cea 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-3004 3008-3020 3030 3036-3037
303d-303f 309b-309c 30a0 30fb 3190-3191 3196-319f 31c0-31e3 3200-321e 322a-3247 3250 3260-327f
328a-32b0 32c0-33ff 4dc0-4dff a490-a4c6 a4fe-a4ff a60d-a60f a673 a67e a6f2-a716 a720-a721
a789-a78a a828-a82b a836-a839 a874-a877 a8ce-a8cf a8f8-a8fa a8fc a92e-a92f a95f a9c1-a9cd
a9de-a9df aa5c-aa5f aa77-aa79 aade-aadf aaf0-aaf1 ab5b ab6a-ab6b abeb fb29 fbb2-fbc2 fd3e-fd4f
fdcf fdfc-fe19 fe30-fe6b feff-ff0f ff1a-ff20 ff3b-ff40 ff5b-ff65 ffe0-fffd 10100-10102 10137-1013f
10179-10189 1018c-101fc 1039f 103d0 1056f 10857 10877-10878 1091f 1093f 10a50-10a58 10a7f 10ac8
10af0-10af6 10b39-10b3f 10b99-10b9c 10ead 10f55-10f59 10f86-10f89 11047-1104d 110bb-110c1 110cd
11140-11143 11174-11175 111c5-111c8 111cd 111db 111dd-111df 11238-1123d 112a9 1144b-1144f
1145a-1145d 114c6 115c1-115d7 11641-11643 11660-1166c 116b9 1173c-1173f 1183b 11944-11946 119e2
11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11c41-11c45 11c70-11c71 11ef7-11ef8 11fd5-11fff 12470-12474
12ff1-12ff2 13430-13438 16a6e-16a6f 16af5 16b37-16b3f 16b44-16b45 16e97-16e9a 16fe2 1bc9c
1bc9f-1bca3 1cf50-1d164 1d16a-1d16c 1d173-1d17a 1d183-1d184 1d18c-1d1a9 1d1ae-1d241 1d245
1d300-1d356 1d6c1 1d6db 1d6fb 1d715 1d735 1d74f 1d76f 1d789 1d7a9 1d7c3 1d800-1d9ff 1da37-1da3a
1da6d-1da74 1da76-1da83 1da85-1da8b 1e14f 1e2ff 1e95e-1e95f 1ecac 1ecb0 1ed2e 1eef0-1eef1
1fb00-1fbca e0001-e01ef
"""
"""Characters outside ASCII that separate words, as ranges of hex code points.

They are punctuation, symbols, spaces, controls and formats of Unicode 14, and variation selectors,
but no emoji.
"""
ALONE = """
e01-109f 1780-17ff 1950-19df 1a00-1aaf 1b00-1b7f 1bc0-1bff 2600-27bf 2e80-2fdf 3000-a4cf a980-a9ff
aa60-aadf ac00-d7af f900-faff ff00-ffef 11700-1174f 17000-18d8f 1aff0-1b2ff 1f000-1faff
20000-3ffff
"""
"""Unicode ranges in which each character is a word, unless it separates words."""


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
"""Lower case of capital letters that Python 3.11's Unicode version, unlike ClickHouse's, lacks."""


def class_of(ranges: str, form: str) -> str:
    """Return ranges as the content of a character class in a regular expression.

    ``form`` is the format string for a code point.
    """
    pairs = [[int(code, 16) for code in entry.split("-")] for entry in ranges.split()]
    return "".join("-".join(map(form.format, pair)) for pair in pairs)


_PARTING, _ALONE = (class_of(ranges, r"\U{:08x}") for ranges in (PARTING, ALONE))
_TOKEN = re.compile(f"(?![{_PARTING}])[{_ALONE}]|(?:[0-9A-Za-z]|[^\\x00-\\x7f{_PARTING}{_ALONE}])+")


class Token(NamedTuple):
    """A word of a text, and its position."""

    word: str
    start: int
    end: int


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC), as the store's text index has it."""
    return text if text.isascii() else normalize("NFC", text)


def folded(text: str) -> str:
    """Return a text in composed form (NFC) and in lower case, as words are compared."""
    return _lower(composed(text))


def tokenize(text: str) -> list[str]:
    """Return the words of a text in order."""
    return _TOKEN.findall(folded(text))


def place_tokens(text: str) -> Iterator[Token]:
    """Yield the words in a composed text (see ``composed``) with their positions."""
    for found in _TOKEN.finditer(text):
        yield Token(_lower(found.group()), found.start(), found.end())


def _lower(text: str) -> str:
    lower = text.lower()
    return lower if lower.isascii() else lower.translate(YOUNG)
