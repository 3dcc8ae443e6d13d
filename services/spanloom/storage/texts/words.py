"""The words of a text as the engine takes it apart, by ``core/query/words.py``."""

from __future__ import annotations

from spanloom.core.query.words import ALONE, PARTING, class_of

_PARTING, _ALONE = (class_of(ranges, r"\\x{{{:x}}}") for ranges in (PARTING, ALONE))
PREPARED = (
    f"replaceRegexpAll(replaceRegexpAll(lowerUTF8(normalizeUTF8NFC(Text)), '[{_PARTING}]', ' '), "
    f"'([{_ALONE}])', ' \\\\1 ')"
)
"""The preprocessor of the index of ``step_texts``: after it, all ASCII but letters and digits parts
words. The schema has it written out; a test holds both equal. One expression with an alternative
instead of two takes ten times as long."""
WORDS = f"tokens({PREPARED}, 'splitByNonAlpha')"
"""The words of ``Text`` in order."""
