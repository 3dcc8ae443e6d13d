"""Both languages have the same texts, and every text that the page uses exists."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

STATIC = Path(str(files("spanloom.viewer"))) / "static"
TEXT = re.compile(r'^  "([^"]+)": "((?:[^"\\]|\\.)*)",$', re.MULTILINE)
VALUE = re.compile(r"\{(\w+)")
BEGUN = re.compile(r"`([a-z]+(?:\.[a-z]+)*\.)\$\{")
"""Matches keys whose last part is a variable: ``t(`item.${state}`)``."""
ASKED = re.compile(r"""\bt\(\s*"([\w.]+)\"|says: "([\w.]+)"|label: "([\w.]+)\"""")


def words(language: str) -> dict[str, str]:
    folder = STATIC / "i18n"
    files = [folder / f"{language}.js", *sorted((folder / language).glob("*.js"))]
    found = [pair for file in files for pair in TEXT.findall(file.read_text("utf-8"))]
    assert len(dict(found)) == len(found), "a key is there twice"
    return dict(found)


def test_both_languages_have_the_same_keys_and_values() -> None:
    english, chinese = words("en"), words("zh")
    assert len(english) > 100
    assert english.keys() == chinese.keys()
    for key, text in english.items():
        assert set(VALUE.findall(text)) == set(VALUE.findall(chinese[key])), key


def test_every_text_that_is_asked_for_is_there() -> None:
    known = words("en")
    for module in STATIC.rglob("*.js"):
        if "vendor" in module.parts:
            continue
        for found in ASKED.findall(module.read_text("utf-8")):
            assert "".join(found) in known, (module.name, found)


def test_no_text_is_there_that_nobody_asks_for() -> None:
    modules = [path for path in STATIC.rglob("*.js") if not {"vendor", "i18n"} & {*path.parts}]
    code = "".join(module.read_text("utf-8") for module in modules)
    begun = tuple(BEGUN.findall(code))
    unused = [key for key in words("en") if f'"{key}"' not in code and not key.startswith(begun)]
    assert unused == []


def test_no_module_is_long() -> None:
    modules = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]
    long = {
        path.name: lines
        for path in modules
        if (lines := len(path.read_text("utf-8").splitlines())) > 250 and "i18n" not in path.parts
    }
    assert long == {}
