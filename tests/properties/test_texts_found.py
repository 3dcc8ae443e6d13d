"""Any text is split into words as in the index; any query finds what a full scan finds."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING
from unicodedata import category, normalize

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contract.test_deletions import deletion
from tests.support.examples import examples
from tests.support.otlp_requests import START_NS
from tests.support.paging import read_pages
from tests.support.texts import step, text_record

from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.upkeep import DeletionScope
from spanloom.core.ports.texts import TextSearch
from spanloom.core.query.where.text_query import Term, TextQuery
from spanloom.core.query.words import YOUNG, composed, place_tokens, tokenize
from spanloom.core.records.hit import Part
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.parameters import bind
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.texts.search import PREPARED, WORDS
from spanloom.storage.upkeep.lock import NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.memory_store import MemoryStore

    from spanloom.core.model.step import Step
    from spanloom.storage.store import ClickHouseStore

ODD = "".join(
    (
        "\u0391\u03a3\u03c2 \u0130\u0131K\u212a \u1e9e\xdf \u01c5 \u2167 \uff46\uff26 \uff11 ",
        "退款\u3002\u300c\u3001\u300d가나 한국 \ufb01 \xe9 e\u0301 \u2019 \u2026 \u0301 ",
        "\U00020000 \U0001f600 \x00 _-'",
        "\xbf\xab\u060c\u061f\u0964\xa3\u20ac\u0e3f\u0e4f\u0f0b\u104a\u17d4 ",
        "อากาศ ສະ བོད မြန် ខ្មែ \ua995\ua9ba ",
        "e\u0301 \u1100\u1161 =\u0338 \u200d\u200c\u200b\u2764\ufe0f\xad ",
        "\u0438\u0306 \U0001f469\U0001f3fd",
    )
)
"""Letters whose lower case has another length or depends on neighbours, and odd characters."""
texts = st.lists(
    st.text(max_size=40) | st.text(st.sampled_from(ODD), max_size=20), min_size=1, max_size=40
)


@settings(max_examples=examples(40))
@given(texts)
def test_words_are_those_of_the_engine(clickhouse_store: ClickHouseStore, said: list[str]) -> None:
    check_words(clickhouse_store, said)


def test_every_capital_letter_is_lowered_as_the_engine_does(
    clickhouse_store: ClickHouseStore,
) -> None:
    cased = [chr(code) for code in range(0x110000) if chr(code).lower() != chr(code)]
    check_words(clickhouse_store, [f"{x} a{x}b Σ{x} {x}Σ" for x in cased])
    check_words(clickhouse_store, [f"{x} a{x}b" for x in map(chr, YOUNG)])


def test_every_character_parts_words_or_is_in_one_as_in_the_engine(
    clickhouse_store: ClickHouseStore,
) -> None:
    chars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    rows = ["".join(f"a{x}b " for x in chars[at : at + 64]) for at in range(0, len(chars), 64)]
    check_words(clickhouse_store, rows)


@pytest.mark.parametrize("kind", ["P", "S", "Z", "Cc", "Cf"])
def test_every_mark_of_unicode_parts_words_or_is_one(kind: str) -> None:
    """The ranges of the index are those of Unicode 14, the version of Python 3.11."""
    marks = [chr(code) for code in range(0x110000) if category(chr(code)).startswith(kind)]
    assert len(marks) > 18
    for mark in (mark for mark in marks if composed(mark) == mark):
        found = tokenize(f"left{mark}right")
        alone = ["left", composed(mark).lower(), "right"]
        assert found in (["left", "right"], alone), hex(ord(mark))


def test_every_letter_is_in_a_word_or_is_one() -> None:
    selectors = {*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
    codes = (code for code in range(0x110000) if category(chr(code))[0] in "LMN")
    for text in (f"a{chr(code)}b" for code in codes if code not in selectors):
        assert "".join(tokenize(text)) == composed(text).lower(), text


@given(st.text() | st.text(st.sampled_from(ODD)))
def test_accents_are_composed_or_not(text: str) -> None:
    assert tokenize(normalize("NFD", text)) == tokenize(normalize("NFC", text)) == tokenize(text)


def test_the_index_has_the_words_that_are_declared(clickhouse_store: ClickHouseStore) -> None:
    [(found,)] = clickhouse_store.connections.worker._client.query(
        "SELECT type_full FROM system.data_skipping_indices"
        " WHERE database = currentDatabase() AND table = 'step_texts'"
    ).result_rows
    assert f"preprocessor = {PREPARED}" in found


def check_words(clickhouse_store: ClickHouseStore, said: Sequence[str]) -> None:
    answer = clickhouse_store.connections.prober._client.raw_query(
        f"SELECT {WORDS} AS found FROM (SELECT arrayJoin(JSONExtract({{said:String}},"
        " 'Array(String)')) AS Text)",
        parameters=bind({"said": list(said)}),
        fmt="JSONCompactEachRow",
    )
    found = [orjson.loads(line)[0] for line in answer.splitlines()]
    assert found == [tokenize(text) for text in said]


@given(st.text() | st.text(st.sampled_from(ODD)))
def test_every_word_has_its_place(text: str) -> None:
    text = composed(text)
    placed = list(place_tokens(text))
    assert [text[token.start : token.end].lower() for token in placed] == [t.word for t in placed]
    assert len(placed) == len(tokenize(text))


WORDS_SAID = (
    "alpha",
    "alphabet",
    "beta",
    "ORD-12",
    "12",
    "退款",
    "款退",
    "rate",
    "limit",
    "Rate Limit",
)


def any_query(choose: random.Random) -> TextQuery:
    """Return a query of one or two terms, mostly of words that occur in the texts."""
    terms = []
    for _ in range(choose.randint(1, 2)):
        words = tokenize(" ".join(choose.choices((*WORDS_SAID, "gamma"), k=choose.randint(1, 2))))
        is_prefix = choose.random() < 0.3
        words[-1] = words[-1][: choose.randint(1, 5)] if is_prefix else words[-1]
        terms.append(Term(tuple(words), is_prefix))
    return TextQuery(tuple(terms))


def any_steps(choose: random.Random) -> Sequence[Step]:
    said = [" ".join(choose.choices(WORDS_SAID, k=choose.randint(1, 6))) for _ in range(6)]
    return [step(n + 1, said[2 * n], said[2 * n + 1]) for n in range(3)]


def test_any_query_finds_what_looking_at_every_text_finds(
    clickhouse_store: ClickHouseStore,
    memory_store: MemoryStore,
    new_project: Callable[[], str],
) -> None:
    """Runs have several versions, some are deleted, and queries run before and after merges."""
    choose = random.Random(7)
    projects = [new_project() for _ in range(2)]
    keys = [TraceKey(project, f"{n:032x}") for project in projects for n in range(25)]
    stores = (clickhouse_store, memory_store)
    for _ in range(3):
        runs = [(key, any_steps(choose), START_NS + choose.randint(0, 1)) for key in keys]
        some = choose.sample(runs, 30)
        for store in stores:
            store.trajectories.write([text_record(store, *run) for run in some])
            store.text_index.index_texts(keys)
    check_queries(clickhouse_store, memory_store, projects, choose, 30)
    for key in choose.sample(keys, 3):
        for store in stores:
            store.deletions.delete(
                deletion(DeletionScope(Reach.only(key.project), trace_id=key.trace_id))
            )
    check_queries(clickhouse_store, memory_store, projects, choose, 10)
    connection = Connection(clickhouse_store.connections.writer._client, UPKEEP_SETTINGS)
    ClickHouseUpkeep(connection, NoLock()).remove_deleted(0)
    connection.run("OPTIMIZE TABLE step_texts FINAL")
    check_queries(clickhouse_store, memory_store, projects, choose, 30)


def check_queries(
    clickhouse_store: ClickHouseStore,
    memory_store: MemoryStore,
    projects: Sequence[str],
    choose: random.Random,
    count: int,
) -> None:
    """Assert that both stores give the same pages, with snippets, for random queries."""
    some = 0
    for _ in range(count):
        parts = choose.choice([tuple(Part), (Part.INPUT,), (Part.OUTPUT, Part.ERROR)])
        wanted = TextSearch(any_query(choose), parts, start_from_ns=START_NS + choose.randint(0, 1))
        reach = Reach(frozenset(projects[: choose.randint(1, 2)]))
        expected = memory_store.texts.search(reach, wanted, 1000)
        pages = read_pages(
            partial(clickhouse_store.texts.search, reach, wanted), choose.choice([7, 1000])
        )
        assert list(pages) == expected, wanted
        some += bool(expected)
    assert some > count / 4
