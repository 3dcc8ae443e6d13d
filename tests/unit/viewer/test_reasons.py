"""The page recognises the service's sentences that it translates by their first words."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from spanloom.core.annotation.agreement import NOTHING_SHARED, ONE_VALUE
from spanloom.evaluation.comparison import behaviour

BEGINNING = re.compile(r"""\b(?:reason|one)\.startsWith\("([^"]+)"\)""")
STATIC = files("spanloom.viewer") / "static"


@pytest.mark.parametrize(
    ("module", "sentences"),
    [
        ("judging/parts.js", (NOTHING_SHARED, ONE_VALUE)),
        ("evaluation/differences.js", (behaviour.TOO_FEW,)),
    ],
)
def test_the_page_knows_sentences_as_the_service_writes_them(
    module: str, sentences: tuple[str, ...]
) -> None:
    beginnings = BEGINNING.findall((STATIC / module).read_text("utf-8"))
    assert len(beginnings) == len(sentences)
    for beginning, sentence in zip(beginnings, sentences, strict=True):
        assert sentence.startswith(beginning)
