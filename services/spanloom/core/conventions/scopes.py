"""Collects the scopes that dialects declare, and warns of a library's spans in other scopes.

Dialects declare the scopes of their library's instrumentations, and attributes that only the
library writes (``marks``). In an unknown scope, spans are read by attributes alone, which do not
identify a framework's internal spans.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.conventions.view import Signature
    from spanloom.core.model.span import NormalizedSpan


class KnownScopes(NamedTuple):
    """The scopes and the identifying attributes (``marks``) of all dialects."""

    scopes: re.Pattern[str]
    marks: tuple[str, ...]

    def knows(self, signature: Signature) -> bool | None:
        """Return whether a dialect lists the scope; ``None`` for spans without any of ``marks``."""
        if not any(key.startswith(self.marks) for key in signature.keys):
            return None
        return self.scopes.match(signature.scope_name) is not None


def join_scopes(scopes: Iterable[str], marks: Iterable[str]) -> KnownScopes:
    """Combine the scopes and marks that the dialects declare."""
    any_scope = "|".join(sorted(set(scopes)))
    return KnownScopes(re.compile(any_scope, re.IGNORECASE), tuple(sorted(set(marks))))


def warn_of_unknown_scopes(spans: Iterable[NormalizedSpan]) -> Sequence[str]:
    """Return a warning for each unknown scope of a library's spans, if no known scope occurs.

    Spans that the author made next to spans of an instrumentation need no warning.
    """
    counts: dict[str, int] = {}
    for n in spans:
        if n.is_scope_known:
            return []
        if n.is_scope_known is False:
            counts[n.span.scope_name] = counts.get(n.span.scope_name, 0) + 1
    return [
        f"unknown scope: {scope[:100]!r} ({n} spans); they were read by their attributes alone"
        for scope, n in sorted(counts.items())
    ]
