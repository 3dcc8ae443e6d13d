"""A full-text query as a condition on rows of ``step_texts``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.storage.engine.conditions import Condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.text_query import TextQuery
    from spanloom.storage.engine.lane import Lane

MAX_BEGUN = 100
"""The most words that a prefix may match."""

# The preprocessor of the index, character by character (09_texts.sql), and its tokenizer.
WORDS = (
    "tokens(replaceRegexpAll(lowerUTF8(Text), '(["
    r"\\x{2010}-\\x{2027}\\x{3000}-\\x{30ff}\\x{3400}-\\x{9fff}\\x{ac00}-\\x{d7af}"
    r"\\x{f900}-\\x{faff}\\x{ff00}-\\x{ffef}"
    r"])', ' \\1 '), 'splitByNonAlpha')"
)


def having_text(lane: Lane, query: TextQuery, name: str = "text") -> Condition:
    """Return the condition that a row of ``step_texts`` has every word and phrase of a query.

    ``lane`` may be read-only: a prefix is looked up in the dictionary of the index, which is
    queried here, before the query with the condition. ``name`` is the prefix of the parameter
    names: a statement with two conditions on texts needs a different one for each. Every word
    is a parameter; the text of the SQL depends only on the shape of the query.

    A row that it finds may be of an older version. It counts while the run's current row in
    ``trajectory_list``, with ``StartTimeUnixNano = TrajectoryStart``, has its ``Hash`` in
    ``Steps.Text``: its index there is the position of the step (``current_texts.sql``). Example:
    ``having_text(reader, parse_text_query('"rate limit" retry*'))``.

    Raises ``InvalidQueryError`` where a prefix matches more than 100 words.
    """
    bound = _Bound(name)
    texts: list[str] = []
    if whole := [word for term in query.terms for word in term.whole_words]:
        texts.append(f"hasAllTokens(Text, {bound(list(dict.fromkeys(whole)))})")
    for term in query.terms:
        if term.is_prefix:
            begun = bound(_words_beginning(lane, term.words[-1]))
            texts.append(f"hasAnyTokens(Text, {begun})")
            texts += [_ends_in_one_of(bound(term.whole_words), begun)] if term.whole_words else []
        elif len(term.words) > 1:
            texts.append(f"hasSubstr({WORDS}, {bound(term.words)})")
    # The index comes first: it leaves few rows whose words have to be compared.
    texts.sort(key=lambda text: WORDS in text)
    return Condition(f"({' AND '.join(texts)})", bound.values)


class _Bound:
    """Lists of words as parameters, each with its own name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.values: dict[str, object] = {}

    def __call__(self, words: Sequence[str]) -> str:
        parameter = f"{self._name}_{len(self.values)}"
        self.values[parameter] = list(words)
        return f"JSONExtract({{{parameter}:String}}, 'Array(String)')"


def _ends_in_one_of(whole: str, begun: str) -> str:
    return f"arrayExists(word -> hasSubstr({WORDS}, arrayPushBack({whole}, word)), {begun})"


def _words_beginning(lane: Lane, beginning: str) -> Sequence[str]:
    rows = lane.rows("words_beginning", beginning=beginning, most=MAX_BEGUN + 1)
    words = sorted(row.Word for row in rows)
    if len(words) > MAX_BEGUN:
        raise InvalidQueryError(
            f"more than {MAX_BEGUN} words begin with {beginning!r}: write more of the word"
        )
    return words
