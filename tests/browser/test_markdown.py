"""Markdown as the page shows it: which parts become elements, and which stay text."""

from __future__ import annotations

from html.entities import html5, name2codepoint
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.page_modules import Modules


MARKDOWN = """
const { render } = await import(url.replace("step/markdown.js", "vendor/preact.js"));
const box = document.createElement("div");
render(m.rendered(a[0]), box);
const every = [...box.querySelectorAll("*")];
const links = [...box.querySelectorAll("a")];
return {
  tags: [...new Set(every.map((one) => one.tagName))],
  links: links.map((one) => [one.href, one.rel, one.parentNode.textContent]),
  attributes: [...new Set(every.flatMap((one) => one.getAttributeNames()))],
  breaks: box.querySelectorAll("br").length,
  text: box.textContent,
};
"""


def test_markdown_keeps_line_breaks_and_links_say_where_they_lead(modules: Modules) -> None:
    text = (
        "# Plan\n\none\ntwo **three**\n\n[x](https://e.example/a) [y](javascript:alert(1))\n\n"
        "![pixel](https://t.example/p.png)\n\n```python\ndef f(): return 'a'\n```\n\n"
        "|a|b|\n|-|-|\n|1|2|"
    )
    made = modules.call("step/markdown.js", MARKDOWN, text)
    assert made["breaks"] == 1
    assert [(href, rel) for href, rel, _ in made["links"]] == [
        ("https://e.example/a", "noopener noreferrer nofollow"),
        ("https://t.example/p.png", "noopener noreferrer nofollow"),
    ]
    assert "x (e.example)" in made["links"][0][2]
    assert "Image: pixel (t.example)" in made["links"][1][2]
    assert "IMG" not in made["tags"]
    assert {"TABLE", "PRE", "STRONG"} <= set(made["tags"])


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x) <javascript:x>",
        "![a](javascript:x) ![b](data:image/svg+xml,x)",
        ">" * 5_000 + "deep",
        "* " * 2_000 + "list",
        "[" * 20_000,
        "`" * 20_000,
        "*_" * 20_000,
        "safe\u202egnp.exe",
        "```xml\n" + "<a" * 9_000 + "\n```",
        "```python\n" + '"""' * 6_000 + "\n```",
        "|" * 5_000 + "\n" + "|-" * 2_500,
    ],
)
def test_hostile_markdown_becomes_nothing_but_text(modules: Modules, text: str) -> None:
    made = modules.call("step/markdown.js", MARKDOWN, text)
    assert made["links"] == []
    assert not {"SCRIPT", "IMG", "IFRAME", "OBJECT", "STYLE", "SVG"} & set(made["tags"])
    assert set(made["attributes"]) <= {"class"}
    assert "\u202e" not in made["text"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("**重要。**请看", ["P"]),
        ("**重要**。请看", ["P", "STRONG"]),
        ("5€**3**", ["P", "STRONG"]),
        ("a**€b**", ["P"]),
        ("a**\U00010100b**", ["P"]),
    ],
)
def test_stars_beside_punctuation_of_any_script_are_told_from_emphasis(
    modules: Modules, text: str, tags: list[str]
) -> None:
    """CommonMark 0.31 §6.2: left- and right-flanking depend on Unicode's categories P and S."""
    assert modules.call("step/markdown.js", MARKDOWN, text)["tags"] == tags


def test_an_address_in_angle_brackets_is_shown_as_written(modules: Modules) -> None:
    made = modules.call("step/markdown.js", MARKDOWN, "<https://e.example/a%20ü> <ada@e.example>")
    assert made["text"] == "https://e.example/a%20ü (e.example) ada@e.example (ada@e.example)"
    assert [href for href, *_ in made["links"]] == [
        "https://e.example/a%20%C3%BC",
        "mailto:ada@e.example",
    ]


def test_characters_are_told_by_name_where_html_4_or_ascii_has_them(modules: Modules) -> None:
    ascii_names = {n[:-1] for n, c in html5.items() if n[-1] == ";" and len(c) == 1 and c.isascii()}
    names = sorted({*name2codepoint, *ascii_names})
    told = modules.call(
        "markdown/needs.js",
        "return a[0].map((name) => m.decodeHTMLStrict(`&${name};`))",
        names,
    )
    assert told == [html5[f"{name};"] for name in names]
    rare = modules.call("step/markdown.js", MARKDOWN, "&copy; &ccupssm; &nosuch; &#169; `&copy;`")
    assert rare["text"] == "© &ccupssm; &nosuch; © &copy;"
