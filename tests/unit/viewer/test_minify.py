"""What browsers are sent is what was written, without comments and blanks of code.

Of styles a browser itself is asked (`tests/browser/test_modules.py`).
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from spanloom.viewer.minify import minified

if TYPE_CHECKING:
    from collections.abc import Iterator

STATIC = Path(str(files("spanloom.viewer"))) / "static"
MODULES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
JAVASCRIPT = Language(tree_sitter_javascript.language())


@pytest.mark.parametrize("name", MODULES)
def test_a_module_means_what_it_did(name: str) -> None:
    written = (STATIC / name).read_bytes()
    sent = minified(name, written)
    assert list(tokens_of(sent)) == list(tokens_of(written))
    assert len(sent) < len(written)


def test_another_text_would_be_seen() -> None:
    assert list(tokens_of(b"html`<p>a  b</p>`")) != list(tokens_of(b"html`<p>a b</p>`"))
    assert list(tokens_of(b"a\n+b")) == list(tokens_of(b"a+b"))
    assert list(tokens_of(b"a\nb")) != list(tokens_of(b"a;b"))


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("a = `b  ${ c ? `d : e  // f` : 1 }  g`; // h", "a=`b  ${c?`d : e  // f`:1}  g`;"),
        ("`a ${ { b : 1 }.b }  } c`", "`a ${{b:1}.b}  } c`"),
        ("`a \\` $ \\${ b ` + c", "`a \\` $ \\${ b `+c"),
        ("x = /[`/]'/.test( y ) ? `a  b` : '`' ", "x=/[`/]'/.test(y)?`a  b`:'`'"),
        ("/** @type {`a`} it's */\nconst b = 1 / 2 / c;", "const b=1/2/c;"),
        ("/*! kept  as it is */\na = 1;", "/*! kept  as it is */a=1;"),
    ],
)
def test_texts_stay_and_the_rest_shrinks(written: str, sent: str) -> None:
    assert minified("a.js", written.encode()).decode().strip() == sent


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("a  { }\n", "a{}"),
        (".a > b, .c {\n  gap: 1px  2px;\n}\n", ".a > b,.c{gap:1px 2px;}"),
        ('a::before { content: "x:  ; /* y"; }', 'a::before{content:"x:  ; /* y";}'),
        ("/* b { } */\n.d :hover { top: calc(1px + 2px) }", ".d :hover{top:calc(1px + 2px)}"),
    ],
)
def test_a_style_shrinks_but_for_its_strings(written: str, sent: str) -> None:
    assert minified("a.css", written.encode()).decode().strip() == sent


def test_an_icon_goes_out_as_it_is() -> None:
    assert minified("icon.svg", b"<svg>  </svg>") == b"<svg>  </svg>"


def test_a_module_that_ends_in_a_template_is_refused() -> None:
    with pytest.raises(ValueError, match="no end"):
        minified("a.js", b"const a = `b ${c}")


def tokens_of(module: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield tokens by a parser of the language, and what they make together; no comment."""
    root = Parser(JAVASCRIPT).parse(module).root_node
    assert not root.has_error
    yield from _walked(root)


def _walked(node: Node) -> Iterator[tuple[str, bytes]]:
    if node.type == "comment":
        return
    yield node.type, b"" if node.children else node.text or b""
    for child in node.children:
        yield from _walked(child)
