"""Token counts of a model call, from attributes or JSON, with one table for all spellings.

Instrumentations name the same count in many ways: ``gen_ai.usage.cache_read.input_tokens``,
``gen_ai.usage.cached_input_tokens``, ``ai.usage.inputTokenDetails.cacheReadTokens``. A name is
reduced to its words without separators, case and unit (``cachereadinput``), and looked up.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.meanings import USAGES
from spanloom.core.conventions.operations import bare
from spanloom.core.model.step import Usage
from spanloom.core.values.attributes import Json, count, integer, json_object
from spanloom.core.values.bounds import ByteCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

INPUT, OUTPUT, REASONING, CACHE_READ, CACHE_CREATION, TOTAL, NET_INPUT = range(7)
_SHORT_CACHE, _LONG_CACHE = 7, 8
"""Tokens cached for five minutes and for one hour; their sum is Anthropic's cache write count."""
_NAMES: Sequence[Sequence[str]] = (
    ("input", "prompt", "totalinput", "totalprompt", "prompteval", "in"),
    (
        *("output", "completion", "candidates", "generated", "totaloutput", "totalcompletion"),
        *("eval", "out"),
    ),
    (
        *("reasoning", "reasoningoutput", "outputreasoning", "completionreasoning"),
        *("thoughts", "thinking", "thought", "thoughtsoutput", "outputthinking"),
    ),
    (
        *("cacheread", "cachereadinput", "inputcacheread", "promptcacheread", "cachedinput"),
        *("inputcached", "cachedprompt", "promptcached", "cached", "cachedcontent"),
        *("cachehit", "promptcachehit", "cachereadprompt", "inputcachehit"),
    ),
    (
        *("cachecreation", "cachecreationinput", "inputcachecreation", "promptcachecreation"),
        *("cachewrite", "cachewriteinput", "inputcachewrite", "promptcachewrite"),
        *("cachecreationprompt", "cachewriteprompt", "inputcreationcached"),
    ),
    ("total",),
    (
        *("uncachedinput", "inputuncached", "inputnocache", "nocacheinput", "netinput"),
        *("promptcachemiss", "cachemiss", "inputcachemiss"),
    ),
    ("ephemeral5minput", "cachecreationephemeral5minput", "inputcachecreation5m"),
    ("ephemeral1hinput", "cachecreationephemeral1hinput", "inputcachecreation1h"),
)
"""The names of each count, in order of preference."""
_MEANINGS = {
    name: (meaning, rank) for meaning, names in enumerate(_NAMES) for rank, name in enumerate(names)
}
_PARTS = frozenset({REASONING, CACHE_READ, CACHE_CREATION})
"""All counts that may be in the details of input or output (``prompt_tokens_details``)."""
_UNIT = re.compile(r"^(?:num|numberof)(?=.)|tokens?|counts?$")
_DETAILS = re.compile(r"(?:(?:input|prompt|output|completion)(?:tokens?)?)?details?$")
_GROUPS = frozenset(
    {"details", "experimental", "usage", "usagemetadata", "usagedetails", "tokens", "tokenusage"}
)

_ANY = "*"
"""Placeholder for any vendor's prefix that ends in a word for counts: ``gcp.gen_ai.usage.``."""
_VENDOR = re.compile(
    r"\.(?:(?:usage|token_?usage|token_?counts?|tokens)\.(?=\w)|metrics\.(?=\w*token))",
    re.IGNORECASE,
)
_NO_COUNT = re.compile(
    r"max|limit|budget|window|request|estimat|remain|aggregat|pric|cost|rate", re.IGNORECASE
)
"""Words in names of settings, sums or prices, which are not counts of the call itself."""
GENAI = ("gen_ai.usage.", "llm.usage.", "llm.token_count.", "ai.usage.", _ANY)
"""Prefixes of attributes that are counts, in order of preference."""
AI_SDK = ("ai.usage.", "gen_ai.usage.")
OPENINFERENCE = ("llm.token_count.",)
EVIDENCE = (*GENAI[:-1], "usage.", "token_usage.", "metrics.", "gen_ai.response.", "llm.", _ANY, "")
"""Prefixes of counts of any sender; a key without a prefix is a count only with ``token`` in it."""

NAMED = tuple(prefix for prefix in EVIDENCE if prefix != _ANY)
"""``EVIDENCE`` without vendors' prefixes, whose counts are read only for model calls."""

Plan = tuple[tuple[str, ...], ...]
"""For each meaning (``INPUT``, …) the keys that have it, in order of preference."""
CACHE_BYTES = 8 * 2**20
MAX_NAME_CHARS, NAMES_KEPT = 100, 8192
_MAX_KEY_CHARS = 2 * MAX_NAME_CHARS
"""Longer keys, measured with their prefix, are ignored."""
_MAX_DEPTH = 2
_EMPTY_PLAN: Plan = ((),) * len(_NAMES)
_NO_USAGE = Usage()
_plans: ByteCache[tuple[tuple[str, ...], Sequence[str]], Plan] = ByteCache(CACHE_BYTES)


class _Name(NamedTuple):
    """A key with its rank among the keys of the same meaning; the lowest rank is preferred."""

    prefix: int
    depth: int
    rank: int
    key: str


def meaning_of(path: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the meaning and rank of a name: ``["prompt_details", "cache_read"]`` → CACHE_READ.

    Return ``None`` for other names: details that are not counted here (audio), costs, rates.
    """
    return _meaning(path) if sum(map(len, path)) <= MAX_NAME_CHARS else None


@lru_cache(maxsize=NAMES_KEPT)
def _meaning(path: tuple[str, ...]) -> tuple[int, int] | None:
    words = [bare(part) for part in path]
    is_detail = False
    while len(words) > 1 and (words[0] in _GROUPS or _DETAILS.match(words[0])):
        is_detail = is_detail or words[0] not in _GROUPS
        words = words[1:]
    found = _MEANINGS.get(_UNIT.sub("", "".join(words)))
    return None if found is None or (is_detail and found[0] not in _PARTS) else found


def read_counts(attributes: Mapping[str, str], prefixes: Sequence[str] = GENAI) -> Usage:
    """Return the token counts in attributes with these prefixes; 0 for counts not reported."""
    plan = _plan(attributes, prefixes)
    if plan == _EMPTY_PLAN:  # the usual case
        return _NO_USAGE
    return _usage([_first(attributes, keys) if keys else 0 for keys in plan])


def read_total(attributes: Mapping[str, str], prefixes: Sequence[str] = GENAI) -> int:
    """Return the reported sum of all tokens of the call; 0 if not reported."""
    return _first(attributes, _plan(attributes, prefixes)[TOTAL])


def read_answered_counts(answer: str) -> Usage:
    """Return the counts in an answer that is a provider's whole response; otherwise zeros."""
    holder = json_object(answer) if "sage" in answer else {}
    payloads = (p for key in USAGES if isinstance(p := holder.get(key), dict))
    return next((usage for p in payloads if any(usage := read_payload(p))), Usage())


def total_key(attributes: Mapping[str, str]) -> str:
    """Return the attribute that reports the sum of all tokens; empty if there is none."""
    keys = _plan(attributes, EVIDENCE)[TOTAL]
    return next((key for key in keys if integer(attributes[key])), "")


def read_json_counts(attributes: Mapping[str, str], keys: Iterable[str]) -> Usage:
    """Return the counts in the first of these attributes that holds counts as JSON, else zeros."""
    payloads = (json_object(attributes[key]) for key in keys)
    return next((usage for p in payloads if any(usage := read_payload(p))), Usage())


def has_counts(keys: Iterable[str]) -> bool:
    """Return whether attributes with these keys count both input and output tokens."""
    plan = _plan(keys, EVIDENCE)
    return bool(plan[INPUT] or plan[NET_INPUT]) and bool(plan[OUTPUT])


def count_keys(keys: Iterable[str], prefixes: Sequence[str] = GENAI) -> Sequence[str]:
    """Return those of ``keys`` from which ``read_counts`` reads token counts."""
    return [key for found in _plan(keys, prefixes) for key in found]


def read_payload(payload: Mapping[str, Json]) -> Usage:
    """Return the counts in any provider's usage object, which may nest details one level deep."""
    return _usage(_counts_in(payload))


def read_total_in(payload: Mapping[str, Json]) -> int:
    """Return the sum of all tokens that an object reports; 0 if it reports none."""
    return _counts_in(payload)[TOTAL]


def _usage(counts: Sequence[int]) -> Usage:
    tokens, output, reasoning, read, created = counts[:TOTAL]
    created = created or counts[_SHORT_CACHE] + counts[_LONG_CACHE]
    if not tokens and counts[NET_INPUT]:
        tokens = counts[NET_INPUT] + read + created
    return Usage(tokens, output, reasoning, read, created)


def _plan(keys: Iterable[str], prefixes: Sequence[str]) -> Plan:
    key = (tuple(keys), prefixes)
    return _plans.get(key) or _plans.keep(key, _make_plan(*key), _bytes_of(key[0]))


def _bytes_of(keys: Sequence[str]) -> int:
    return 1_000 + sum(map(len, keys)) + 64 * len(keys)


def _make_plan(keys: Sequence[str], prefixes: Sequence[str]) -> Plan:
    found: list[list[_Name]] = [[] for _ in _NAMES]
    for key in keys:
        number, path = _path_in(key, prefixes) if len(key) <= _MAX_KEY_CHARS else (0, ())
        if path and (meaning := meaning_of(path)) is not None:
            found[meaning[0]].append(_Name(number, len(path), meaning[1], key))
    return tuple(tuple(name.key for name in sorted(names)) for names in found)


@lru_cache(maxsize=NAMES_KEPT)
def _path_in(key: str, prefixes: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Return the index of a key's prefix and the words after it; 0 and no words if none matches."""
    for number, prefix in enumerate(prefixes):
        if prefix == _ANY:
            vendor = _VENDOR.search(key[:MAX_NAME_CHARS])
            if vendor is not None and _NO_COUNT.search(key) is None:
                return number, tuple(key[vendor.end() :].split("."))
        elif prefix and key.startswith(prefix):
            path = tuple(key[len(prefix) :].split("."))
            if meaning_of(path) is not None:
                return number, path
        elif not prefix and "token" in key.lower():
            is_vendors = _ANY in prefixes
            return number, _last_words(key) if is_vendors else tuple(key.split("."))
    return 0, ()


def _last_words(key: str) -> tuple[str, ...]:
    """Return the words of a key without a known prefix: ``app.llm.x`` → ``("app", "llm", "x")``.

    Return only the last word if it names tokens and the whole key has no known meaning:
    ``app.llm.input_tokens`` → ``("input_tokens",)``.
    """
    path = tuple(key.split("."))
    is_last = "token" in path[-1].lower() and _NO_COUNT.search(key) is None
    is_last = is_last and len(path) > 1 and meaning_of(path) is None
    return path[-1:] if is_last else path


def _first(attributes: Mapping[str, str], keys: Iterable[str]) -> int:
    for key in keys:  # a generator expression takes twice the time
        if number := integer(attributes[key]):
            return number
    return 0


def _counts_in(payload: Mapping[str, Json]) -> list[int]:
    """Return a count for each meaning: the first positive count of the preferred name."""
    counts, ranks = [0] * len(_NAMES), [(_MAX_DEPTH, 0)] * len(_NAMES)
    for path, value in _leaves(payload):
        meaning = meaning_of(path)
        if meaning is not None and (number := count(value)):
            rank = (len(path) - 1, meaning[1])
            if not counts[meaning[0]] or rank < ranks[meaning[0]]:
                counts[meaning[0]], ranks[meaning[0]] = number, rank
    return counts


def _leaves(payload: Mapping[str, Json]) -> Iterator[tuple[tuple[str, ...], Json]]:
    for key, value in payload.items():
        if not value:  # most details are zero; skipping them avoids the lookup of their names
            continue
        if isinstance(value, dict):
            yield from (((key, inner), leaf) for inner, leaf in value.items() if leaf)
        else:
            yield (key,), value
