"""Parses a ``where`` by recursive descent, with one method for each rule of the grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.where.calculation import CalculationReader
from spanloom.core.query.where.comparison import ComparisonReader
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.core.query.where.reader import MAX_STEPS_IN_SHAPE, MAX_WITHIN, TokenKind, TokenReader
from spanloom.core.query.where.tree import And, Chain, Condition, Count, Link, Not, Or, Under, Words
from spanloom.core.query.where.values import MAX_INTEGER, UnfitValueError, read_integer, read_words

if TYPE_CHECKING:
    from collections.abc import Callable

GRAMMAR = """\
where   = and { "or" and } ;
and     = unary { "and" unary } ;
unary   = [ "not" ] ( "(" where ")" | has | compare | flag | string ) ;
has     = "has" "(" shape ")" ;
shape   = where { link where } | where ( "under" | "child" "of" ) where ;
link    = "then" | "next" | "within" integer ;
compare = field ( op value | [ "not" ] "in" "(" value { "," value } ")" | "exists" )
        | sum op sum ;
sum     = product { ( "+" | "-" ) product } ;
product = operand { ( "*" | "/" ) operand } ;
operand = number | duration | field | count | "(" sum ")" ;
count   = "count" "(" where ")" ;
op      = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~" | ":" ;
flag    = field ;
field   = name { "." ( name | string ) } ;
value   = string | number | duration | bool | name ;
"""
"""The grammar in EBNF.

Inside ``has`` and ``count`` fields are fields of steps. Keywords ignore case.
"""


def parse_where(text: str, now_ns: int) -> Condition:
    """Parse a condition on runs; ``-24h`` counts back from ``now_ns``.

    Raises ``InvalidWhereError`` with every problem, for example ``no run field 'durtion'`` at 0
    with the hint ``duration``.
    """
    return _parsed(text, Subject.RUN, now_ns)


def parse_steps_where(text: str, now_ns: int) -> Condition:
    """Parse a condition on single steps, as inside ``has``; see ``parse_where``."""
    return _parsed(text, Subject.STEP, now_ns)


def _parsed(text: str, subject: Subject, now_ns: int) -> Condition:
    reader = TokenReader(text)
    condition = _Grammar(reader, subject, now_ns).where()
    if reader.here.kind is not TokenKind.END:
        reader.fail("this cannot follow", expected=["and", "or"])
    if reader.problems:
        raise InvalidWhereError(text, reader.problems)
    return condition


class _Grammar:
    """The parser; each method parses the grammar rule with its name, from the next token on."""

    def __init__(self, reader: TokenReader, subject: Subject, now_ns: int) -> None:
        self._reader = reader
        self._subject = subject
        self._now_ns = now_ns
        self._compare = ComparisonReader(reader, subject, now_ns)
        self._sums = CalculationReader(reader, self._compare, self._counted)

    def where(self) -> Condition:
        with self._reader.one_deeper():
            return self._joined("or", self._and, Or)

    def _and(self) -> Condition:
        return self._joined("and", self._unary, And)

    def _joined(
        self, word: str, part: Callable[[], Condition], together: type[And | Or]
    ) -> Condition:
        parts = [part()]
        while self._reader.takes_word(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else together(tuple(parts))

    def _unary(self) -> Condition:
        if self._reader.takes_word("not"):
            return Not(self._single())
        return self._single()

    def _single(self) -> Condition:
        reader = self._reader
        if self._sums.begins_here():
            reader.count_comparison()
            return self._sums.read()
        if reader.takes_sign("("):
            return self._closed(self.where())
        if reader.here.is_word("has"):
            return self._has()
        if reader.here.is_word("count"):
            return self._count()
        reader.count_comparison()
        return self._words() if reader.here.kind is TokenKind.STRING else self._compare.read()

    def _has(self) -> Condition:
        self._open("a step has no steps; put has(…) outside")
        return self._closed(self._shape())

    def _shape(self) -> Condition:
        reader, first = self._reader, self._step()
        if reader.takes_word("under"):
            return Under(first, self._step(), is_child=False)
        if reader.takes_word("child"):
            if not reader.takes_word("of"):
                reader.fail("child is followed by of", expected=["of"])
            return Under(first, self._step(), is_child=True)
        return self._chain(first)

    def _chain(self, first: Condition) -> Condition:
        steps, links = [first], []
        while (link := self._link()) is not None:
            if len(steps) == MAX_STEPS_IN_SHAPE:
                self._reader.fail(f"a chain has at most {MAX_STEPS_IN_SHAPE} steps")
            links.append(link)
            steps.append(self._step())
        return Chain(tuple(steps), tuple(links))

    def _link(self) -> Link | None:
        if self._reader.takes_word("then"):
            return Link(None)
        if self._reader.takes_word("next"):
            return Link(1)
        if self._reader.takes_word("within"):
            return Link(self._whole_number(at_least=1, at_most=MAX_WITHIN))
        return None

    def _count(self) -> Condition:
        steps = self._counted()
        operator = self._compare.order()
        return Count(steps, operator, self._whole_number(at_least=0))

    def _counted(self) -> Condition:
        self._open("a step has no steps; put count(…) outside")
        return self._closed(self._step())

    def _words(self) -> Condition:
        token = self._reader.take()
        if self._subject is Subject.STEP:
            message = f'in steps, search texts by part: output: "{token.text}"'
            self._reader.report(token, token, message)
        try:
            return Words(read_words(token.text))
        except UnfitValueError as error:
            self._reader.report(token, token, str(error))
            return Words(token.text)

    def _step(self) -> Condition:
        """Parse a condition on steps, inside ``has`` or ``count``."""
        return _Grammar(self._reader, Subject.STEP, self._now_ns).where()

    def _open(self, message: str) -> None:
        """Consume ``has (`` or ``count (``; inside another one, report ``message`` as a problem."""
        word = self._reader.take()
        if self._subject is Subject.STEP:
            self._reader.report(word, word, message)
        self._reader.demand_sign("(")

    def _closed(self, inside: Condition) -> Condition:
        self._reader.demand_sign(")")
        return inside

    def _whole_number(self, at_least: int, at_most: int = MAX_INTEGER) -> int:
        token = self._reader.here
        if token.kind is not TokenKind.NUMBER:
            self._reader.fail("a whole number is missing here")
        self._reader.take()
        try:
            return read_integer(token, at_least, at_most)
        except UnfitValueError as error:
            self._reader.report(token, token, str(error))
            return at_least
