"""The parser of ``where`` accepts exactly the texts that the documented grammar allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import UnexpectedInput
from lark.lexer import PatternStr

from spanloom.core.query.where import reader as limits
from spanloom.core.query.where.parser import GRAMMAR, parse_where
from spanloom.core.query.where.problems import (
    InvalidWhereError,
    UnreadableWhereError,
    WhereProblem,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYWORD = re.compile(r'"([a-z]+)"')
_SIGNS_OF_EBNF = {"{": "(", "}": ")*", "[": "(", "]": ")?", ";": ""}
_WORDS = r"""
integer: NUMBER
number: NUMBER
duration: NUMBER
string: STRING
value: STRING | NUMBER | NAME
field: NAME ("." (NAME | STRING))*
NAME: /[^\W\d]\w*/i
NUMBER: /-?\d+(\.\d+)?[A-Za-z]*/
STRING: /"([^"\\\n]|\\[n"'])*"/
%ignore /\s+/
"""


def _lark() -> Lark:
    """Return a Lark parser of the documented grammar, with ``_WORDS`` for its terminals."""
    lines = [line for line in GRAMMAR.splitlines() if not re.match("(field|value) ", line)]
    ebnf = _KEYWORD.sub(r'"\1"i', "\n".join(lines))
    rules = re.sub(r'(?<!")[][{};](?!")', lambda sign: _SIGNS_OF_EBNF[sign.group()], ebnf)
    rules = re.sub(r"(?m)^(\w+)\s+=", r"\1:", rules)
    return Lark(rules + _WORDS, start="where", parser="earley", lexer="basic")


LARK = _lark()
PIECES = [
    *("and", "or", "not", "has", "count", "then", "next", "within", "under", "child", "of", "in"),
    *("exists", "(", ")", ",", ".", "=", "!=", ">", "~", ":", "3", "1.5s", "true", '"a b"'),
    *("has_error", "tool", "steps", "metadata", "+", "-", "*", "/"),
]
FIXED = [terminal for terminal in LARK.terminals if isinstance(terminal.pattern, PatternStr)]
APART = {terminal.name: st.just(f" {terminal.pattern.value} ") for terminal in FIXED} | {
    "NAME": st.sampled_from([" has_error ", " tool ", " steps ", " metadata "]),
    "NUMBER": st.sampled_from([" 3 ", " 1.5s ", " -24h "]),
    "STRING": st.sampled_from([' "a b" ', ' "" ', r' "\"" ']),
}
"""Terminals of the grammar with spaces around them, for generated texts."""


def _is_read(text: str) -> bool:
    """Return whether the parser accepts the syntax; fields and values may be wrong."""
    try:
        parse_where(text, now_ns=0)
    except UnreadableWhereError:
        return False
    except InvalidWhereError:
        return True
    return True


def _problems(text: str) -> Sequence[WhereProblem]:
    try:
        parse_where(text, now_ns=0)
    except InvalidWhereError as error:
        return error.problems
    return []


def _is_in_grammar(text: str) -> bool:
    try:
        LARK.parse(text)
    except UnexpectedInput:
        return False
    return True


def _is_small(text: str) -> bool:
    nested = sum(text.count(opening) for opening in ("(", "has", "count"))
    return len(text) < 1000 and nested < limits.MAX_DEPTH and text.count("then") < 5


@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])  # most are long
@given(from_lark(LARK, explicit=APART).filter(_is_small))
def test_what_the_grammar_makes_is_read(text: str) -> None:
    assert _is_read(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
@example("has ( tool exists then steps = 3 next has_error within 3 tool )")
@example("not ( has_error or tool not in ( true , 3 ) ) and count ( tool = 3 ) > 3")
@example("has ( tool under tool ) or has ( tool child of tool )")
@example("not not has_error")
@example("( steps + 3 ) / steps > 2 and ( ( steps ) ) > steps - 3 * ( steps - 3 )")
@example("( ( steps + 3 ) > 3 ) and ( has_error ) and count ( tool ) / 3 < count ( tool )")
@example("steps + tool ~ 3 or ( steps ) in ( 3 ) or steps > count ( tool ) + 3")
@example("metadata . tool = metadata . tool and steps = metadata and 3 > steps")
def test_any_words_are_read_if_the_grammar_has_them(text: str) -> None:
    assert _is_read(text) is _is_in_grammar(text)


@given(st.text())
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    for problem in _problems(text):
        assert 0 <= problem.position <= problem.position + problem.length <= len(text)
