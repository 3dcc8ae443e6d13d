"""Minifies modules and styles for the browser: removes comments and whitespace in code.

rjsmin minifies modules. It doesn't understand nested template literals, and ours are nested, since
the page's markup is written in them. So their texts are replaced by placeholders first, and put
back unchanged afterwards.
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
"""The text of a template literal, up to its end or to the next ``${``."""
_ASIDE = '"\0"'
"""Placeholder for a text: rjsmin reads it as a string, and no module contains it."""


_STYLE = re.compile(r"""("[^"\n]*")|/\*.*?\*/|\s*([{};,])\s*|(:)\s+|(\s)\s*""", re.DOTALL)
"""Matches in a style; the groups are kept: a string, punctuation, a colon, one blank."""


def minified(name: str, body: bytes) -> bytes:
    """Return a module or a style minified; other files unchanged.

    A third of the source is comments, for readers and for the type checker. Licence comments,
    ``/*!``, are kept in a module.
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
    """Split a module into pieces: code, text of a template literal, code, and so on."""
    pieces, done, at = [], 0, 0
    braces: list[int] = []  # how many are open in the code of each enclosing template literal
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
    return braces[-1] < 0  # it closes the ``${``, not a block inside


def _end_of_text(module: str, at: int, braces: list[int]) -> int:
    text = _TEXT.match(module, at)
    if text is None:
        raise ValueError("a template literal has no end")
    if text[0].endswith("`"):
        braces.pop()
    else:
        braces[-1] = 0
    return text.end()
