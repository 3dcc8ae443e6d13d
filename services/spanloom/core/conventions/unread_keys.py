"""Finds attributes that are named like token counts, messages or a model, but that no code uses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.conventions import meanings, operations
from spanloom.core.conventions.usage import NAMED, count_keys
from spanloom.core.model.span import NOTHING_UNREAD, UnreadKeys

if TYPE_CHECKING:
    from collections.abc import Collection

NAMES_KEPT = 4096
_NUMBERS = re.compile(r"(?:^|[._])(?:\w*tokens?(?:_?count)?|usage)(?=$|\.)", re.IGNORECASE)
_TEXTS = re.compile(r"(?:^|[._])(?:messages|prompts?|completions?|model(?:_?(?:name|id))?)$")
_FINE = re.compile(
    r"max_?\w*tokens|per_output_token|time_to_first_token|aggregated_usage|audio|prediction_tokens"
    r"|PerSecond|token\.usage$|usage\.(?:cost|raw)|current_usage_count|^metadata\.|\.cache\."
    r"|crew\.|\.(?:text|image|video)[._]|\.total|^(?:gen_ai|llm|ai)\.(?:prompt|completion)s?\.\d"
    r"|invocation_parameters|textTokens|noCacheTokens|^http|^db|^rpc|^url",
    re.IGNORECASE,
)
_READ = frozenset(
    {
        *meanings.CALL_INPUTS,
        *meanings.CALL_OUTPUTS,
        *meanings.AGENT_INPUTS,
        *meanings.MODELS,
        *operations.OPERATION_KEYS,
        *meanings.USAGES,
    }
)


def find_unread_keys(keys: Collection[str]) -> UnreadKeys:
    """Return those of ``keys`` that are named like counts, texts or a model, but are not read."""
    short = [key for key in keys if len(key) <= meanings.MAX_KEY_CHARS]
    named = [key for key in short if _is_named(key)]
    counts = [key for key in short if _is_count(key)]
    if not named and not counts:
        return NOTHING_UNREAD
    read = count_keys(keys, NAMED)
    return UnreadKeys(*[[key for key in group if key not in read] for group in (named, counts)])


def is_text(key: str) -> bool:
    """Return whether a key names messages or a model, so that its value is no number."""
    return _TEXTS.search(key) is not None


@lru_cache(maxsize=NAMES_KEPT)
def _is_named(key: str) -> bool:
    if key in _READ or _FINE.search(key):
        return False
    return bool(_NUMBERS.search(key) or _TEXTS.search(key))


@lru_cache(maxsize=NAMES_KEPT)
def _is_count(key: str) -> bool:
    return not _FINE.search(key) and bool(_NUMBERS.search(key))
