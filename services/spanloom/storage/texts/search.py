"""Full-text search: compiles the condition, finds candidates by the index, and filters them.

A candidate may belong to an older version of its run, or be stored twice if an indexer died after
an INSERT, so candidates are checked against the current versions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanloom.core.errors import InvalidQueryError
from spanloom.core.ports.texts import HitCursor, ListedHit
from spanloom.core.query.where.text_query import make_snippet
from spanloom.core.query.words import ALONE, PARTING, class_of
from spanloom.core.records.declared import Read
from spanloom.core.records.hit import HIT, Hit, Part
from spanloom.storage.engine.parameters import Condition, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.ports.texts import TextSearch
    from spanloom.core.query.where.text_query import TextQuery
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


_PARTING, _ALONE = (class_of(ranges, r"\\x{{{:x}}}") for ranges in (PARTING, ALONE))
PREPARED = (
    f"replaceRegexpAll(replaceRegexpAll(lowerUTF8(normalizeUTF8NFC(Text)), '[{_PARTING}]', ' '), "
    f"'([{_ALONE}])', ' \\\\1 ')"
)
"""The preprocessor of the index of ``step_texts``.

In its result, all ASCII except letters and digits separates words. The schema contains the same
text; a test compares the two. One expression with an alternative instead of two expressions takes
ten times as long.
"""
WORDS = f"tokens({PREPARED}, 'splitByNonAlpha')"
"""SQL of the words in the column ``Text``, in order."""

MAX_BEGUN = 100
"""The most words that a prefix may match."""


def having_text(connection: Connection, query: TextQuery, name: str = "text") -> Condition:
    """Return the condition that a row of ``step_texts`` has every word and phrase of a query.

    ``connection`` may be read-only. It is used to look up a prefix in the dictionary of the index,
    before the query with the condition runs. ``name`` is the prefix of the parameter names; a
    statement with two conditions on texts needs a different prefix for each. Every word is a
    parameter, so the text of the SQL depends only on the structure of the query.

    A matching row may be of an older version. It is current while the run's row in
    ``trajectory_list``, with ``StartTimeUnixNano = TrajectoryStart``, has its ``Hash`` in
    ``Steps.Text``; the index of the hash is the position of the step (``current_texts.sql``).
    Example: ``having_text(reader, parse_text_query('"rate limit" retry*'))``.

    Raises ``InvalidQueryError`` if a prefix matches more than 100 words.
    """
    bound = _Bound(name)
    texts: list[str] = []
    if whole := [word for term in query.terms for word in term.whole_words]:
        texts.append(f"hasAllTokens(Text, {bound(list(dict.fromkeys(whole)))})")
    for term in query.terms:
        if term.is_prefix:
            begun = bound(_words_beginning(connection, term.words[-1]))
            texts.append(f"hasAnyTokens(Text, {begun})")
            texts += [_ends_in_one_of(bound(term.whole_words), begun)] if term.whole_words else []
        elif len(term.words) > 1:
            texts.append(f"hasSubstr({WORDS}, {bound(term.words)})")
    # The index is used first, because it leaves few rows whose words must be compared.
    texts.sort(key=lambda text: WORDS in text)
    return Condition(f"({' AND '.join(texts)})", bound.values)


class _Bound:
    """Collects lists of words as parameters, each with its own name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.values: dict[str, object] = {}

    def __call__(self, words: Sequence[str]) -> str:
        parameter = f"{self._name}_{len(self.values)}"
        self.values[parameter] = list(words)
        return f"JSONExtract({{{parameter}:String}}, 'Array(String)')"


def _ends_in_one_of(whole: str, begun: str) -> str:
    return f"arrayExists(word -> hasSubstr({WORDS}, arrayPushBack({whole}, word)), {begun})"


def _words_beginning(connection: Connection, beginning: str) -> Sequence[str]:
    rows = connection.rows("words_beginning", beginning=beginning, most=MAX_BEGUN + 1)
    words = sorted(row.Word for row in rows)
    if len(words) > MAX_BEGUN:
        raise InvalidQueryError(
            f"more than {MAX_BEGUN} words begin with {beginning!r}: write more of the word"
        )
    return words


SPARE_CANDIDATES = 16
"""Extra candidates to read, because old versions are dropped."""
MAX_CANDIDATES = 4_000
TEXTS_AT_ONCE = 50
_STEP_ID = "{:016x}".format
_PARTS = tuple(Part)
_READ = {field.name: read.sql for field in HIT.fields if (read := field.find(Read))}
_COLUMNS = Condition(", ".join(f"{sql} AS {name}" for name, sql in _READ.items()), {})
_TextKey: TypeAlias = tuple[str, int, str, int]


class ClickHouseTextFinder:
    """Implements ``TextFinder`` with the readers' connection to ClickHouse."""

    def __init__(self, reader: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._reader = reader

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        """See ``TextFinder.search``."""
        text = having_text(self._reader, wanted.query)
        found: dict[HitCursor, tuple[Row, int]] = {}
        most = limit + SPARE_CANDIDATES
        while len(found) < limit:
            rows = self._text_candidates(reach, wanted, text, most, after)
            current = self._text_places(rows)
            for row in rows:
                if position := current.get(_text_key(row)):
                    found[_place(row)] = row, position
            if len(rows) < most:
                break
            after, most = _place(rows[-1]), min(2 * most, MAX_CANDIDATES)
        return list(self._text_hits(wanted.query, list(found.values())[:limit]))

    def _text_candidates(
        self,
        reach: Reach,
        wanted: TextSearch,
        text: Condition,
        most: int,
        after: HitCursor | None,
    ) -> Sequence[Row]:
        place = after or HitCursor(0, "", "", "0", 0)
        rows = self._reader.rows(
            "text_candidates",
            reach=within(reach),
            text=text,
            parts=[str(part) for part in wanted.parts],
            from_ns=wanted.start_from_ns,
            before_ns=wanted.start_before_ns,
            after_start_ns=after.start_ns if after else None,
            after_trace_id=place.trace_id,
            after_project=place.project,
            after_step_id=int(place.step_id, 16),
            after_place=place.part,
            most=most,
        )
        return list(rows)

    def _text_places(self, rows: Sequence[Row]) -> Mapping[_TextKey, int]:
        """Return the position of its step, for each text of a current version of a run."""
        keys = list(dict.fromkeys((row.Project, row.TraceId) for row in rows))
        asked = sorted(set(map(_text_key, rows)))
        current = self._reader.rows("current_texts", asked=asked, keys=keys) if rows else ()
        return {_text_key(row): row.Position for row in current}

    def _text_hits(self, query: TextQuery, found: Sequence[tuple[Row, int]]) -> Iterator[ListedHit]:
        for at in range(0, len(found), TEXTS_AT_ONCE):
            some = found[at : at + TEXTS_AT_ONCE]
            texts = self._stored_texts([row for row, _ in some])
            for row, position in some:
                stored = texts[row.Project, row.TraceId, row.StepId, row.Place, row.Hash]
                snippet = make_snippet(stored.Text, query)
                hit = Hit(
                    trace_id=row.TraceId,
                    project=row.Project,
                    started_at=row.TrajectoryStart // 1_000_000,
                    step_id=_STEP_ID(row.StepId),
                    position=position,
                    part=_PARTS[row.Place - 1],
                    snippet=snippet.text,
                    offsets=list(snippet.marks),
                    **{name: getattr(stored, name) for name in _READ},
                )
                yield ListedHit(hit, row.TrajectoryStart)

    def _stored_texts(self, rows: Sequence[Row]) -> Mapping[tuple[object, ...], Row]:
        places = [(row.Project, row.TrajectoryStart, row.TraceId, row.StepId) for row in rows]
        stored = self._reader.rows("read_texts", places=places, columns=_COLUMNS)
        return {(r.Project, r.TraceId, r.StepId, r.Place, r.Hash): r for r in stored}


def _text_key(row: Row) -> _TextKey:
    """Return the identity of a text in a version, with the start, which changes if a run moves."""
    return row.Project, row.TrajectoryStart, row.TraceId, row.Hash


def _place(row: Row) -> HitCursor:
    """Return where a candidate's text occurs: run, step and part.

    Two stored copies of one text have the same cursor, so the text is found only once.
    """
    return HitCursor(row.TrajectoryStart, row.TraceId, row.Project, _STEP_ID(row.StepId), row.Place)
