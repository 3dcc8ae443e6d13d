"""Compares the texts of two model calls: reports of one call never contradict each other.

Equal token counts are no proof: if two mails are classified in parallel, ``no`` and ``yes`` are the
answers of two calls. Instrumentations report different parts of a call in different formats, so
only letters and digits are compared, and a missing text does not count as a contradiction.
"""

from __future__ import annotations

import hashlib
import re
from itertools import islice
from json import JSONDecoder
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.message import functions_of, read_conversation, texts_of
from spanloom.core.values.attributes import json_value
from spanloom.core.values.bounds import may_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json

HEAD_CHARS = 256
"""Texts that are equal up to this length count as equal, because senders cut them differently."""
MOST_REQUESTS = 16
"""How many of the tool calls that a model requests are compared."""
LONGEST_HEAD = 4 * HEAD_CHARS
"""How many characters of a text are read to find its first letters and digits."""
_NO_WORDS = re.compile(r"\W+")
_ASCII_LETTERS = bytes(range(128)).lower().ljust(256, b"\0")
_ASCII_NO_WORDS = bytes(c for c in range(128) if not (chr(c).isalnum() or chr(c) == "_"))
"""The bytes that ``bytes.translate`` removes from ASCII, ten times as fast as ``_NO_WORDS``."""
_HIDDEN = frozenset({"redacted", "__redacted__", "hidden", "filtered", "masked"})
_USER = '{"role":"user"'
"""The start of a user's message in the compact JSON of a conversation."""
_DECODER = JSONDecoder()
_JSON_STARTS = ("{", "[")
"""A text that begins with one of these is compared only if it parses as JSON, without its keys."""
IDENTIFYING_CHARS = 64
"""Equal answers of this length identify a call; the questions need not be compared then."""


def contradict(ours: tuple[str, str], theirs: tuple[str, str]) -> bool:
    """Return whether the texts of two calls, each as (input, output), contradict each other."""
    if ours[1] != theirs[1]:
        mine, others = read_answer(ours[1]), read_answer(theirs[1])
        if _differ(mine.text, others.text) or _request_other_tools(mine, others):
            return True
        if _is_identifying(mine) and _is_identifying(others):
            return False
    return ours[0] != theirs[0] and _ask_differently(ours[0], theirs[0])


def answer_alike(ours: str, theirs: str) -> bool:
    """Return whether both outputs have the same text and request the same tools.

    The result is ``False`` if they have neither text nor requested tools.
    """
    mine, others = read_answer(ours), read_answer(theirs)
    return mine == others and bool(mine.text or mine.requests)


def _ask_differently(ours: str, theirs: str) -> bool:
    """Return whether neither call's question occurs anywhere in the other call's input.

    The question is found in any role, because an instrumentation may lose its role.
    """
    mine, others = read_question(ours), read_question(theirs)
    return (
        _differ(mine, others)
        and mine not in _letters(*map(_text, _messages(theirs)))
        and others not in _letters(*map(_text, _messages(ours)))
    )


def _differ(ours: str, theirs: str) -> bool:
    if not ours or not theirs or ours in theirs or theirs in ours:
        return False
    return ours[:HEAD_CHARS] != theirs[:HEAD_CHARS]


class Answer(NamedTuple):
    """The letters and digits of a model's answer; each field is empty if unknown."""

    text: str
    requests: Sequence[str]
    """Name and arguments of the first tool calls."""


def _request_other_tools(ours: Answer, theirs: Answer) -> bool:
    """Return whether both answers call tools, but no tool call of one is contained in the other's.

    Names or arguments may be missing on one side.
    """
    pairs = [(a, b) for a in ours.requests for b in theirs.requests]
    return bool(pairs) and not any(a in b or b in a for a, b in pairs)


def _is_identifying(answer: Answer) -> bool:
    return any(len(words) >= IDENTIFYING_CHARS for words in (answer.text, *answer.requests))


def read_answer(output: str) -> Answer:
    """Return the letters and digits of a call's output, which is messages or plain text."""
    messages = _messages(output)
    text = _letters(*map(_text, messages)) if messages else _plain(output)
    requests = islice((call for m in messages for call in _requests(m)), MOST_REQUESTS)
    return Answer(text, [_letters(request) for request in requests])


def read_question(input_text: str) -> str:
    """Return the letters and digits of the user's last message in an input; empty if unknown.

    Only this message is parsed; it starts at the last occurrence of the user's role.
    """
    start = input_text.rfind(_USER)
    if start < 0 or not may_read(input_text):
        return ""
    try:
        message, _ = _DECODER.raw_decode(input_text, start)
    except (ValueError, RecursionError):
        return ""
    return _letters(_text(message))


class Digests(NamedTuple):
    """Digests of a call's texts, to compare calls of different traces; 0 if unknown."""

    answer: int = 0
    question: int = 0


def digest_wording(input_text: str, output_text: str) -> Digests:
    """Return a call's digests; a long answer identifies the call without its question."""
    text = "\n".join(map(_text, _messages(output_text)))
    answer = _letters(text if text.startswith(_JSON_STARTS) else text[:LONGEST_HEAD])
    is_short = 0 < len(answer) < IDENTIFYING_CHARS
    return Digests(_digest(answer), _digest(read_question(input_text)) if is_short else 0)


def _digest(letters: str) -> int:
    """Return the digest of the start of a text, at least 1; 0 for an empty text."""
    if not letters:
        return 0
    digest = hashlib.blake2b(letters[:HEAD_CHARS].encode(), digest_size=8)
    return int.from_bytes(digest.digest()) or 1


def _messages(text: str) -> Sequence[Mapping[str, Json]]:
    return [m for m in read_conversation(text) if isinstance(m, dict)]


def _text(message: Mapping[str, Json]) -> str:
    return "\n".join(texts_of(message))


def _requests(message: Mapping[str, Json]) -> Iterator[str]:
    for function in functions_of(message):
        yield f"{function.get('name') or ''} {function.get('arguments') or ''}"


def _plain(text: str) -> str:
    """Return the letters and digits of an answer in plain text; empty for JSON."""
    return "" if text.startswith(_JSON_STARTS) else _letters(text)


def _is_cut_off(text: str) -> bool:
    return text.startswith(_JSON_STARTS) and isinstance(json_value(text), str)


def _letters(*texts: str) -> str:
    """Return the letters and digits; empty for JSON that was cut off, or for a hidden text."""
    letters = _only_words("".join(t for t in texts if not _is_cut_off(t)))
    return "" if letters in _HIDDEN else letters


def _only_words(text: str) -> str:
    """Return the letters, digits and underscores of a text, in lower case."""
    if not text.isascii():
        return _NO_WORDS.sub("", text).lower()
    return text.encode().translate(_ASCII_LETTERS, _ASCII_NO_WORDS).decode()
