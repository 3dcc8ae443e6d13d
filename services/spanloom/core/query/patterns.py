"""Compiles patterns in a ``where`` with RE2, the library behind ClickHouse's ``match``.

For every pattern, matching takes time linear in the length of the text. As in ClickHouse, ``.``
also matches a line break.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

if TYPE_CHECKING:
    from collections.abc import Callable

_OPTIONS = re2.Options()
_OPTIONS.dot_nl = True
_OPTIONS.log_errors = False


def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether a text has a match.

    Raises ``ValueError`` with the reason if RE2 refuses the pattern because it is invalid, or too
    large.
    """
    try:
        search = re2.compile(pattern, _OPTIONS).search
    except re2.error as error:
        reason = error.args[0]
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(message) from None

    def matches(text: str) -> bool:
        try:
            return search(text) is not None
        except UnicodeEncodeError:  # a lone surrogate, which no stored text has
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return search(whole) is not None

    return matches
