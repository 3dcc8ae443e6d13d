"""Compiles a ``where`` to a function over the row of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, assert_never

from spanloom.core.matching.calculated import Counts, compare_numbers, operands_of
from spanloom.core.matching.fields import ORDER, compare_field, read_field
from spanloom.core.matching.shapes import bind_chain, bind_child, bind_under
from spanloom.core.matching.verdict import MOST_PLACES, Fact, Verdict, joined
from spanloom.core.matching.words import find_words
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import (
    And,
    Calculation,
    Chain,
    Compare,
    Count,
    Exists,
    In,
    Not,
    Or,
    Under,
    Words,
)
from spanloom.core.records.declared import FieldType
from spanloom.core.records.hit import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.matching.row import RunRow, StepRow
    from spanloom.core.query.where.tree import Condition

    RunTest: TypeAlias = Callable[[RunRow], Verdict]
    StepTest: TypeAlias = Callable[[StepRow], bool]


def compile_for_runs(where: Condition) -> RunTest:  # noqa: PLR0911  # one for each kind
    """Return a function that evaluates a condition on a run.

    For a run read from a document, the function raises ``TypeError``, ``ValueError`` or
    ``AttributeError`` if a member's type differs from the schema.
    """
    match where:
        case And(parts) | Or(parts):
            return _joined([compile_for_runs(part) for part in parts], isinstance(where, And))
        case Not(part):
            test = compile_for_runs(part)
            return lambda run: test(run).denied()
        case Compare() | In() | Exists() if where.field.type is FieldType.WORDS:
            return _has_words(str(_value(where)), [Part(where.field.name)])
        case Compare() | In() | Exists():
            return _of_run(where)
        case Words(text):
            return _has_words(text, tuple(Part))
        case Count():
            return _counted(where)
        case Chain():
            return _chained(where)
        case Under():
            return _below(where)
        case Calculation():
            return _calculated(where)
    assert_never(where)


def compile_for_steps(where: Condition) -> StepTest:
    """Return a function that evaluates a condition on a step."""
    match where:
        case And(parts):
            tests = [compile_for_steps(part) for part in parts]
            return lambda step: all(test(step) for test in tests)
        case Or(parts):
            tests = [compile_for_steps(part) for part in parts]
            return lambda step: any(test(step) for test in tests)
        case Not(part):
            test = compile_for_steps(part)
            return lambda step: not test(step)
        case Compare() | In() | Exists() if where.field.type is FieldType.WORDS:
            has_words = find_words(str(_value(where)), [Part(where.field.name)])
            return lambda step: has_words(step.text)
        case Compare() | In() | Exists():
            read, meets = read_field(where.field, where.key, Subject.STEP), compare_field(where)
            return lambda step: meets(read(step))
        case Calculation():
            holds = compare_numbers(where, Subject.STEP)
            return lambda step: holds(step, Counts())
    raise TypeError(f"{where} is no condition on a step")


def _value(where: Compare | In | Exists) -> object:
    return where.value if isinstance(where, Compare) else ""


def _joined(tests: Sequence[RunTest], all_needed: bool) -> RunTest:
    return lambda run: joined([test(run) for test in tests], all_needed=all_needed)


def _of_run(where: Compare | In | Exists) -> RunTest:
    read, meets = read_field(where.field, where.key, Subject.RUN), compare_field(where)

    def test(run: RunRow) -> Verdict:
        values = read(run)
        return Verdict(meets(values), (), (Fact(where.field, where.key, values),))

    return test


def _has_words(text: str, parts: Sequence[Part]) -> RunTest:
    has_words = find_words(text, parts)
    return lambda run: _verdict_of(
        [at for at in range(len(run.steps)) if has_words(run.text_at(at))]
    )


def _counted(where: Count) -> RunTest:
    find, compare = _compile_find(where.steps), ORDER[where.operator]

    def test(run: RunRow) -> Verdict:
        places = find(run)
        return _verdict_of(places)._replace(holds=compare(len(places), where.number))

    return test


def _calculated(where: Calculation) -> RunTest:
    holds = compare_numbers(where, Subject.RUN, _compile_find)
    reads = [(part.field, read_field(part.field, "", Subject.RUN)) for part in operands_of(where)]

    def test(run: RunRow) -> Verdict:
        counts = Counts()
        is_true = holds(run, counts)
        facts = tuple(Fact(field, "", read(run)) for field, read in reads)
        return Verdict(is_true, tuple(counts.places[:MOST_PLACES]), facts)

    return test


def _chained(where: Chain) -> RunTest:
    finds = [_compile_find(step) for step in where.steps]
    if len(finds) == 1:
        return lambda run: _verdict_of(finds[0](run))
    return lambda run: _verdict_of(bind_chain([find(run) for find in finds], where.links))


def _below(where: Under) -> RunTest:
    inner, outer = _compile_find(where.inner), _compile_find(where.outer)
    bind = bind_child if where.is_child else bind_under
    return lambda run: _verdict_of(bind(inner(run), outer(run), run.steps))


def _verdict_of(places: Sequence[int]) -> Verdict:
    return Verdict(bool(places), tuple(places[:MOST_PLACES]))


def _compile_find(where: Condition) -> Callable[[RunRow], Sequence[int]]:
    """Return a function that returns the positions of the steps that meet a condition."""
    meets = compile_for_steps(where)
    return lambda run: [step.at for step in run.each_step() if meets(step)]
