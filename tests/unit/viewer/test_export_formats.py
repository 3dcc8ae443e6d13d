"""The page's generated modules are current, and it offers the registry's export formats."""

from __future__ import annotations

import json
import re

import pytest
from docs.page_constants import first_constants, later_constants
from docs.page_formats import page_formats, page_words
from tests.unit.viewer.test_words import STATIC, words

from spanloom.core.formats.entry import Of
from spanloom.core.formats.losses import Code
from spanloom.core.formats.registry import formats_of

ROW = re.compile(r"^  (\{.*\}),$", re.MULTILINE)
ONE_RUN_ONLY = {"inspect", "potato", "sts", "html"}


@pytest.mark.parametrize(
    ("path", "made"),
    [
        ("service.js", first_constants()),
        ("choices.js", later_constants()),
        ("export/formats.js", page_formats()),
        ("i18n/en/formats.js", page_words()),
    ],
)
def test_the_modules_are_as_they_are_generated(path: str, made: str) -> None:
    assert (STATIC / path).read_text("utf-8") == made


def test_every_format_of_a_run_is_offered_and_described_in_both_languages() -> None:
    rows = {row["id"]: row for row in map(json.loads, ROW.findall(page_formats()))}
    known = formats_of(Of.RUN)
    assert list(rows) == list(known)
    assert {id_ for id_, row in rows.items() if not row["many"]} == ONE_RUN_ONLY
    for id_, row in rows.items():
        assert (row["type"], row["suffix"]) == (known[id_].media_type, known[id_].suffix)
        assert bool(row["many"]) == bool(row["suffixOfMany"])
    wanted = {f"format.{id_}" for id_ in known} | {f"loss.{code}" for code in Code}
    for language in ("en", "zh"):
        assert wanted - words(language).keys() == set()


def test_rows_of_datasets_are_formats_with_lines() -> None:
    text = (STATIC / "dataset/dialog.js").read_text("utf-8")
    (found,) = re.findall(r"const ROWS = new Set\((\[.*?\])\)", text)
    rows = {row["id"]: row["many"] for row in map(json.loads, ROW.findall(page_formats()))}
    assert {rows[id_] for id_ in json.loads(found)} == {"lines"}
