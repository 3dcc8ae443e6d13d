"""Warnings of attributes that look like tokens, messages or a model, and that nothing reads.

Only spans of the generic dialects are looked at, and those that are plumbing to another one: other
dialects know the attributes of their library.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.conventions import meanings
from spanloom.core.conventions.usage import EVIDENCE, count_keys
from spanloom.core.model.span import KNOWS_NOTHING
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.model.span import NormalizedSpan, Span

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
    r"|invocation_parameters|textTokens|noCacheTokens|^http|^db|^rpc|^url",
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
    """Return a line for each such attribute, the most frequent first, at most ten."""
    counts: Counter[str] = Counter()
    generic = [n.span for n in spans if n.dialect in GENERIC or n.rule.endswith(_PLAIN)]
    keys = set[str]().union(*[s.attributes for s in generic])
    suspicious = {key for key in keys if len(key) <= _MAX_KEY_CHARS and _is_named(key)}
    if not suspicious:
        return []
    for span in generic:
        counts.update(_unread(span, suspicious))
    shown = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_SHOWN]
    return [f"not read: {key} ({count} spans)" for key, count in shown]


@lru_cache(maxsize=NAMES_KEPT)
def _is_named(key: str) -> bool:
    """Return whether a key names tokens, messages or a model, and is in no table."""
    if key in _READ or _FINE.search(key):
        return False
    return bool(_NUMBERS.search(key) or _TEXTS.search(key))


def _unread(span: Span, suspicious: set[str]) -> Iterator[str]:
    found = suspicious & span.attributes.keys()
    if not found:
        return
    read = set(count_keys(span.attributes, EVIDENCE))
    for key in found - read:
        value = span.attributes[key]
        if value and (_TEXTS.search(key) or (decimal(value) or 0) > 0):
            yield key
