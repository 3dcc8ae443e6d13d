"""Warnings of what a span reports and nothing reads: tokens, messages, a model, its operation.

Only spans of the generic dialects are looked at, those that are plumbing to another one, and model
calls without counts: other dialects know the attributes of their library.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.conventions import meanings
from spanloom.core.conventions.endings import keys_read
from spanloom.core.conventions.scopes import warn_of_unknown_scopes
from spanloom.core.conventions.usage import EVIDENCE, NAMED, count_keys, total_key
from spanloom.core.model.span import KNOWS_NOTHING
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from spanloom.core.model.span import NormalizedSpan

_MODEL, _OTHER = (
    Kind.MODEL,
    Kind.OTHER,
)  # cached: before Python 3.12, enum members are looked up in Python code
GENERIC = frozenset({"otel_genai", "evidence", "fallback"})
_PLAIN = (*KNOWS_NOTHING, ".other_operation", ".frame")
"""Endings of rules for spans of which a dialect reads nothing."""
MAX_SHOWN = 10
NAMES_KEPT = 4096
_MAX_KEY_CHARS = 100
"""Longer keys are no names, and not searched."""
_NUMBERS = re.compile(r"(?:^|[._])(?:\w*tokens?(?:_?count)?|usage)(?=$|\.)", re.IGNORECASE)
_TEXTS = re.compile(r"(?:^|[._])(?:messages|prompts?|completions?|model(?:_?(?:name|id))?)$")
_FINE = re.compile(
    r"max_\w*tokens|per_output_token|time_to_first_token|aggregated_usage|audio|prediction_tokens"
    r"|PerSecond|token\.usage$|usage\.(?:cost|raw)|current_usage_count|^metadata\.|\.cache\."
    r"|crew\.|\.(?:text|image|video)[._]|\.total|^(?:gen_ai|llm|ai)\.(?:prompt|completion)s?\.\d"
    r"|invocation_parameters|^codex\.usage|textTokens|noCacheTokens|^http|^db|^rpc|^url",
    re.IGNORECASE,
)
_READ = frozenset(
    {
        *meanings.CALL_INPUTS,
        *meanings.CALL_OUTPUTS,
        *meanings.AGENT_INPUTS,
        *meanings.MODELS,
        *meanings.OPERATION_KEYS,
        *meanings.USAGES,
    }
)


def warn_of_unread(spans: Iterable[NormalizedSpan]) -> Sequence[str]:
    """Return a line for each such attribute and each unknown scope."""
    spans = list(spans)
    generic = [n for n in spans if _is_read_by_meaning(n)]
    uncounted = [n for n in spans if _lacks_counts(n) and not _is_read_by_meaning(n)]
    counts = _count_unread(generic, _is_named)
    if uncounted:
        counts += _count_unread(uncounted, _is_count)
    counts.update(_totals_alone(generic))
    shown = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_SHOWN]
    return [
        *warn_of_unknown_scopes(n.span for n in spans),
        *[f"not read: {key} ({n} spans)" for key, n in shown],
    ]


def _is_read_by_meaning(n: NormalizedSpan) -> bool:
    return n.dialect in GENERIC or n.rule.endswith(_PLAIN)


def _lacks_counts(n: NormalizedSpan) -> bool:
    usage = n.facts.usage
    return n.kind is _MODEL and not (usage and usage.input_tokens and usage.output_tokens)


def _totals_alone(spans: Iterable[NormalizedSpan]) -> Iterator[str]:
    """Yield the total of each call that reports nothing else: neither side can be known of it."""
    calls = (n for n in spans if n.kind is _MODEL)
    uncounted = (n for n in calls if not (n.facts.usage and any(n.facts.usage)))
    yield from filter(None, (total_key(n.span.attributes) for n in uncounted))


def _count_unread(spans: Sequence[NormalizedSpan], is_named: Callable[[str], bool]) -> Counter[str]:
    counts: Counter[str] = Counter()
    keys = set[str]().union(*[n.span.attributes for n in spans])
    suspicious = {key for key in keys if len(key) <= _MAX_KEY_CHARS and is_named(key)}
    for n in spans if suspicious else ():
        counts.update(_unread(n, suspicious))
    return counts


@lru_cache(maxsize=NAMES_KEPT)
def _is_named(key: str) -> bool:
    """Return whether a key names tokens, messages or a model, and is in no table."""
    if key in _READ or _FINE.search(key):
        return False
    return bool(_NUMBERS.search(key) or _TEXTS.search(key))


@lru_cache(maxsize=NAMES_KEPT)
def _is_count(key: str) -> bool:
    return not _FINE.search(key) and bool(_NUMBERS.search(key))


def _unread(n: NormalizedSpan, suspicious: set[str]) -> Iterator[str]:
    attributes = n.span.attributes
    found = suspicious & attributes.keys()
    if not found:
        return
    for key in found - _read_keys(n):
        value = attributes[key]
        if value and (_TEXTS.search(key) or (decimal(value) or 0) > 0):
            yield key


def _read_keys(n: NormalizedSpan) -> set[str]:
    """Return the keys that are read; those of unknown vendors on steps alone."""
    attributes = n.span.attributes
    if n.kind is _OTHER:
        return set(count_keys(attributes, NAMED))
    return {*count_keys(attributes, EVIDENCE), *keys_read(attributes)}
