"""Makes modules and styles small for the way to the browser: without comments and blanks in code.

rjsmin does it with modules. It takes a template literal for one that has none within, and ours
have: a page is written in them. So their texts are put aside first, and set in again as they were.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rjsmin import jsmin

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = re.compile(
    r"""//.* | /\*(?:[^*]|\*(?!/))*\*/                      # a comment
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'           # a string
      | (?:(?<=[(,=:\[!&|?{};\n>]) | (?<=[(,=:\[!&|?{};>][ ]) | (?<=\breturn[ ]))
        /(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/        # a regular expression, not a division
      | [`{}]""",
    re.VERBOSE,
)
_TEXT = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)
"""Of a template literal, up to its end or to code within."""
_ASIDE = '"\0"'
"""Stands for a text: a string to rjsmin, and nothing that a module has."""


_STYLE = re.compile(r"""("[^"\n]*")|/\*.*?\*/|\s*([{};,])\s*|(:)\s+|(\s)\s*""", re.DOTALL)
"""Of a style, and in groups what stays of it: a string, a mark, a colon, a blank between words."""


def minified(name: str, body: bytes) -> bytes:
    """Return a module or a style as it is sent; other files as they are.

    A third of what we write is told to readers and to the checker of types, not to browsers. A
    licence, ``/*!``, stays in a module.
    """
    if name.endswith(".css"):
        return _STYLE.sub(r"\1\2\3\4", body.decode()).encode()
    if not name.endswith(".js"):
        return body
    pieces = _pieces(body.decode())
    code, texts = pieces[::2], iter(pieces[1::2])
    small = jsmin(_ASIDE.join(code), keep_bang_comments=True)
    return re.sub(_ASIDE, lambda _: next(texts), small).encode()


def _pieces(module: str) -> Sequence[str]:
    """Return a module in pieces: code, a text of a template literal, code, and so on."""
    pieces, done, at = [], 0, 0
    braces: list[int] = []  # that are open in the code of each template literal around
    while token := _TOKEN.search(module, at):
        at = token.end()
        if _begins_text(token[0], braces):
            end = _end_of_text(module, at, braces)
            pieces += [module[done : token.start()], module[token.start() : end]]
            done = at = end
    return [*pieces, module[done:]]


def _begins_text(mark: str, braces: list[int]) -> bool:
    if mark == "`":
        braces.append(0)
        return True
    if not braces or mark not in "{}":
        return False
    braces[-1] += 1 if mark == "{" else -1
    return braces[-1] < 0  # it ends the code, not a block within


def _end_of_text(module: str, at: int, braces: list[int]) -> int:
    text = _TEXT.match(module, at)
    if text is None:
        raise ValueError("a template literal has no end")
    if text[0].endswith("`"):
        braces.pop()
    else:
        braces[-1] = 0
    return text.end()
