"""Words of any script are found next to any punctuation, with accents composed or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.texts import step, text_record
from tests.support.wild import WILD

from spanloom.core.model.access import Reach
from spanloom.core.ports.texts import TextSearch
from spanloom.core.query.where.text_query import parse_text_query

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store

MORE = (
    "कहाँ है।क्या? ខ្ញុំចង់ដឹង។ ສະບາຍດີ བཀྲ་ཤིས་བདེ་ལེགས། မင်္ဂလာပါ။ ꦱꦸꦒꦼꦁ꧈ نعم؛ لا "
    "\u201ccurly\u201d\u2014dash\u2026end \u2039note\u203a \u20b9500 99\uff05 "
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 Done🎉 don\u2019t"
)
FOUND = (
    *(
        "Dónde",
        "narwhal",
        "شكرا",
        "الطلب",
        "kiosk",
        "17",
        "42",
        "Crème",
        "Cre\u0300me",
        "br\xfbl\xe9e",
    ),
    *("bru\u0302le\u0301e", "注文", "確認", "pedido", "อากาศ", "ครับ", "narw*"),
    *("है", "क्या", "ចង់ដឹង", "ສະບາຍ", "ཤིས", "မင်္ဂလာ", "ꦒꦼꦁ", "curly", "dash", "end", "note", "500", "99"),
    *(
        "نعم",
        "لا",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "done",
        "🎉",
        "don't",
        '"curly dash end"',
    ),
)
NOT_FOUND = ("Donde", "narwhals", "อากาส", "Creme", "🎊", "ครบ")


def question_of(name: str) -> str:
    """Return the user's message in the only model call of a wild fixture."""
    [group] = json.loads((WILD / f"{name}.json").read_text())["resourceSpans"]
    attributes = group["scopeSpans"][0]["spans"][0]["attributes"]
    values = {a["key"]: a["value"].get("stringValue", "") for a in attributes}
    [message] = json.loads(values["gen_ai.input.messages"])
    return str(message["parts"][0]["content"])


@pytest.fixture
def indexed(store: Store, key: TraceKey) -> TraceKey:
    said = question_of("search-words")
    store.trajectories.write([text_record(store, key, [step(1, said, MORE)])])
    store.text_index.index_texts([key])
    return key


def test_words_are_found_whatever_is_beside_them(store: Store, indexed: TraceKey) -> None:
    reach = Reach.only(indexed.project)
    hits = {
        word: store.texts.search(reach, TextSearch(parse_text_query(word)), 5)
        for word in (*FOUND, *NOT_FOUND)
    }
    assert [word for word, found in hits.items() if found] == list(FOUND)
    for word in FOUND:
        assert all(hit.hit.offsets for hit in hits[word]), word
