"""Evaluation reports: any order of runs, self-comparison, any input file, exact sign flips."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import orjson
from hypothesis import given
from hypothesis import strategies as st
from tests.support.evaluations import GOOD, RAW, config_of
from tests.support.stub_kinds import run_document, stub_kinds

from spanloom.evaluation.files.bases import read_report
from spanloom.evaluation.files.comparing import compare
from spanloom.evaluation.files.config.reading import read_config
from spanloom.evaluation.files.config.text import ConfigError, read_text
from spanloom.evaluation.files.judging import Judgement, run_to_judge
from spanloom.evaluation.files.markdown import MOST_BYTES, markdown
from spanloom.evaluation.files.outcome import Strictness, conclude
from spanloom.evaluation.files.report import head_of, report_lines, report_schema
from spanloom.evaluation.statistics.pairs import sign_flip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.annotation.yaml_tree import Remark

SCORES = st.integers(0, 8).map(lambda eighths: {"score": eighths / 8})
TOLD = st.one_of(SCORES, st.just({"na": 1}), st.just({"error": 1}))
RUNS = st.lists(st.tuples(TOLD, st.sampled_from("abcd")), min_size=1, max_size=8)
VALIDATOR = jsonschema.Draft202012Validator(report_schema())
with stub_kinds():
    CONFIG = config_of(
        GOOD,
        RAW,
        gates=[{"score": "good", "min": 0.5}, {"score": "raw", "stat": "p95", "max": 0.5}],
    )


def report_of(documents: list[dict[str, Any]]) -> bytes:
    judgement = Judgement(CONFIG.evaluators)
    for document in documents:
        judgement.take(run_to_judge(document))
    outcome = conclude(CONFIG, judgement, {}, Strictness(is_gate=True))
    assert len(markdown(CONFIG.name, CONFIG.warn_scores, judgement, outcome).encode()) <= MOST_BYTES
    return b"".join(report_lines(head_of(CONFIG, judgement, outcome), judgement))


def documents_of(runs: list[tuple[dict[str, Any], str]]) -> list[dict[str, Any]]:
    return [
        run_document(number % 3, told, metadata={"item_key": item}) | {"id": f"{number:032x}"}
        for number, (told, item) in enumerate(runs, 1)
    ]


@given(RUNS, st.data())
def test_runs_in_any_order_give_the_same_bytes(
    runs: list[tuple[dict[str, Any], str]], data: st.DataObject
) -> None:
    documents = documents_of(runs)
    first = report_of(documents)
    assert report_of(data.draw(st.permutations(documents))) == first
    VALIDATOR.validate(orjson.loads(first))


@given(RUNS)
def test_a_report_against_itself_is_neither_better_nor_worse(
    runs: list[tuple[dict[str, Any], str]],
) -> None:
    report = read_report(report_of(documents_of(runs)))
    found = compare(report, report)
    assert {one.verdict for one in found.scores} == {"no_difference_shown"}
    assert (found.only_a, found.only_b) == ([], [])


@given(st.one_of(st.binary(max_size=60), st.text(alphabet="{}[]<>&*!:-,'\"# \n\ta1", max_size=60)))
def test_any_text_is_read_or_refused_with_a_line(text: bytes | str) -> None:
    raw = text if isinstance(text, bytes) else text.encode()
    faults: Sequence[Remark] = ()
    try:
        read_text(raw)
    except ConfigError as error:
        faults = error.faults
    assert all(fault.line >= 1 and fault.reason for fault in faults)


WORDS = st.sampled_from(
    [
        "name",
        "kind",
        "stub",
        "rules",
        "python",
        "score",
        "min",
        "max",
        "stat",
        "p50",
        "a",
        "",
        "file",
    ]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WORDS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=3)
)
FILES = st.fixed_dictionaries(
    {"evaluators": st.lists(VALUES, max_size=3)},
    optional=dict.fromkeys(("name", "runs", "gates", "max_errors", "min_items", "x"), VALUES),
)


@given(FILES)
def test_any_file_is_meant_or_refused_with_lines(file: dict[str, Any]) -> None:
    faults: Sequence[Remark] = ()
    with stub_kinds():
        try:
            read_config(json.dumps(file, indent=1).encode())
        except ConfigError as error:
            faults = error.faults
    assert all(fault.line >= 1 and fault.key and fault.reason for fault in faults)


@given(st.lists(st.integers(-4, 4), max_size=9))
def test_flipped_signs_are_counted_as_an_enumeration_does(differences: list[int]) -> None:
    sums = [0]
    for one in differences:
        sums = [total + sign * one for total in sums for sign in (1, -1)]
    extreme = sum(abs(total) >= abs(sum(differences)) for total in sums)
    assert abs(sign_flip(differences, "seed") - extreme / len(sums)) < 1e-12


def test_drawn_flips_are_near_the_exact_ones() -> None:
    exact = sign_flip([1.0] * 9 + [-1.0] * 4, "seed")
    assert abs(sign_flip([1.0] * 9 + [-1.0] * 4 + [1e-9], "seed") - exact) < 0.02
    assert sign_flip([1.0] * 300, "seed") < 1e-3
