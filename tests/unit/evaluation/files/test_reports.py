"""Reports: JSON by its own schema, JUnit as junitparser reads it, Markdown of bounded length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
import orjson
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped
from tests.support.evaluations import GOOD, RAW, config_of, judged

from spanloom.core.errors import InvalidRequestError
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.files.bases import measures_of, read_report
from spanloom.evaluation.files.comparing import compare
from spanloom.evaluation.files.junit import junit_lines
from spanloom.evaluation.files.markdown import MOST_BYTES, markdown
from spanloom.evaluation.files.outcome import Strictness, conclude
from spanloom.evaluation.files.report import Report, head_of, report_lines, report_schema

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.evaluation.files.config.reading import Config
    from spanloom.evaluation.files.judging import Judgement
    from spanloom.evaluation.files.outcome import Outcome

VALUES: list[object] = [0.9, 0.1, {"na": 1}, {"error": 1}, 0.4]
"""Passing, failing, not applicable, an error, failing."""
GATES = [
    {"score": "good", "min": 0.9},
    {"score": "raw", "stat": "mean", "max": 3, "bound": "upper"},
    {"score": "good", "no_worse_than": "base.json", "margin": 0.1},
]


def evaluation(values: list[object] = VALUES) -> tuple[Config, Judgement]:
    config = config_of(GOOD, RAW, gates=GATES)
    return config, judged(config, values)


def report_of(config: Config, judgement: Judgement) -> bytes:
    outcome = conclude(config, judgement, {}, Strictness(True))
    return b"".join(report_lines(head_of(config, judgement, outcome), judgement))


def page_of(config: Config, judgement: Judgement, outcome: Outcome) -> str:
    return markdown(config.name, config.warn_scores, judgement, outcome)


def test_a_report_is_valid_by_its_own_schema_and_model() -> None:
    text = report_of(*evaluation())
    told = orjson.loads(text)
    jsonschema.Draft202012Validator(report_schema()).validate(told)
    assert Report.model_validate_json(text).model_dump(mode="json", exclude_unset=True) == told
    assert list(told) == [
        *("format", "name", "status", "exit_code", "runs", "items", "evaluators", "summary"),
        *("gates", "results"),
    ]
    assert told["summary"]["good"] == {
        "n": 5,
        "ok": 3,
        "na": 1,
        "error": 1,
        "skipped": 0,
        "passed": 1,
        "pass_rate": pytest.approx(1 / 3),
        "mean": pytest.approx(1.4 / 3),
        "low": pytest.approx(0.0615, abs=1e-3),
        "high": pytest.approx(0.7923, abs=1e-3),
    }
    assert [set(gate) & {"min", "max", "bound", "margin"} for gate in told["gates"]] == [
        {"min"},
        {"max", "bound"},
        {"margin"},
    ]


def test_the_same_runs_give_the_same_bytes() -> None:
    assert report_of(*evaluation()) == report_of(*evaluation())


def test_a_report_is_read_again_and_what_is_none_is_refused() -> None:
    found = measures_of(read_report(report_of(*evaluation())))
    assert (found["good"].passed, found["good"].statuses["error"]) == (1, 1)
    for bad in (b"", b"{}", b'{"format":"spanloom.eval/2","results":[]}', b"\xff", b"[" * 9999):
        with pytest.raises(InvalidRequestError, match="no report"):
            read_report(bad)


def test_numbers_beyond_all_sums_are_judged_and_compared() -> None:
    huge: list[object] = [1e308, -1e308, 1e308, 10**30]
    text = report_of(*evaluation(huge))
    jsonschema.Draft202012Validator(report_schema()).validate(orjson.loads(text))
    other = read_report(report_of(*evaluation([1.0, 2.0, 3.0, 4.0])))
    assert {one.n for one in compare(read_report(text), other).scores} == {4}
    row = b'{"name":"s","status":"ok","item":"a","value":1%s}' % (b"0" * 400)
    large = read_report(b'{"format":"spanloom.eval/1","results":[%s]}' % row)
    assert compare(large, large).scores[0].difference == 0
    with pytest.raises(InvalidRequestError):
        read_report(
            b'{"format":"spanloom.eval/1","results":[%s]}' % row.replace(b":1", b':NaN,"x":1')
        )


def junit(path: Path, judgement: Judgement, warns: tuple[str, ...] = ()) -> dict[Any, Any]:
    path.write_bytes(b"".join(junit_lines("trips", judgement, warns)))
    (suite,) = JUnitXml.fromfile(str(path))
    assert suite.tests == len(list(suite))
    kinds = [kind for case in suite for kind in map(type, case.result)]
    assert (suite.failures, suite.errors, suite.skipped) == tuple(
        kinds.count(kind) for kind in (Failure, Error, Skipped)
    )
    return {(case.classname, case.name): [type(one) for one in case.result] for case in suite}


def test_junit_has_a_case_for_each_item_and_score(tmp_path: Path) -> None:
    _, judgement = evaluation()
    cases = junit(tmp_path / "j.xml", judgement)
    assert [cases["good", f"{n:032x}"] for n in range(1, 6)] == [
        *([], [Failure], [Skipped], [Error], [Failure])
    ]
    assert len(cases) == 10
    assert not junit(tmp_path / "j.xml", judgement, ("good",))["good", f"{2:032x}"]


def test_the_repeats_of_an_item_are_one_case(tmp_path: Path) -> None:
    judgement = judged(config_of(GOOD), [0.9, 0.1])
    for one in judgement._judged.values():
        one.item = "a"
    assert junit(tmp_path / "j.xml", judgement) == {("good", "a"): [Failure]}


def test_junit_and_markdown_hold_any_text(tmp_path: Path) -> None:
    config, judgement = evaluation([])
    texts = ["\x00\x0b\x1b[31m\ufffe", "\ud800", "]]>", "<script>&|`@all`\n\n# x"]
    for at, text in enumerate(texts):
        judgement.refuse(f"{at} {text}", ErrorCode.UNREADABLE_RUN, text)
    assert len(junit(tmp_path / "j.xml", judgement)) == 2 * len(texts)
    outcome = conclude(config, judgement, {}, Strictness())
    page = page_of(config, judgement, outcome)
    assert "\n# x" not in page
    assert all(line.count("`") % 2 == 0 for line in page.splitlines())
    assert b"\x1b" not in page.encode()


def test_markdown_names_the_worst_items_first_with_their_evidence() -> None:
    config = config_of(GOOD, {"name": "also", "kind": "stub", "at_least": 0.3}, gates=GATES[:1])
    judgement = judged(config, [0.9, 0.4, 0.1])
    page = markdown(
        config.name,
        config.warn_scores,
        judgement,
        conclude(config, judgement, {}, Strictness(True)),
    )
    assert page.startswith("## `trips`: failed\n")
    assert "| `good pass_rate` | **failed** | `pass_rate 0.3333 is below 0.9` |" in page
    worst = page.partition("### Worst items")[2]
    assert worst.index(f"{3:032x}") < worst.index(f"{2:032x}")
    assert f"{1:032x}" not in worst
    assert '`agent planner: output {"score": 0.1}`' in worst


def test_markdown_is_bounded_and_says_what_it_leaves_out() -> None:
    config = config_of(GOOD)
    judgement = judged(config, [])
    for n in range(2_000):
        judgement.refuse(f"item {n} {'é' * 300}", ErrorCode.MISSING_RUN, "x" * 900)
    page = markdown(
        config.name, config.warn_scores, judgement, conclude(config, judgement, {}, Strictness())
    )
    assert len(page.encode()) <= MOST_BYTES
    assert page.endswith(" more items\n")
