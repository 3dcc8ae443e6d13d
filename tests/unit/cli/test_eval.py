"""``spanloom eval``: each exit status, the files it writes, and its output in a pipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import orjson
import pytest
from junitparser import JUnitXml
from tests.support.command_output import run_command
from tests.support.drafted import planner
from tests.support.evaluations import status_of, write_runs
from tests.support.stub_kinds import run_document, stub_kinds

from spanloom.cli import eval_judging
from spanloom.client.errors import ForbiddenError, InvalidParameterError
from spanloom.client.tries import Tries
from spanloom.evaluation.files.judging import Judgement
from spanloom.evaluation.files.report import report_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = """\
name: trips
evaluators:
  - {name: good, kind: stub, at_least: 0.5}
gates:
  - {score: good, min: 0.5}
"""
NOWHERE = ("--api-url", "http://127.0.0.1:9")
WRITTEN = ("--json", "out.json", "--junit", "out.xml", "--markdown", "out.md")
FILES = ["out.json", "out.md", "out.xml"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval.yaml").write_text(FILE)
    write_runs(tmp_path / "runs.jsonl", [0.1, 0.9, 0.8])
    with stub_kinds():
        yield tmp_path


def written() -> list[str]:
    return sorted(path.name for path in Path().glob("out.*"))


def report() -> dict[str, Any]:
    told = orjson.loads(Path("out.json").read_bytes())
    jsonschema.Draft202012Validator(report_schema()).validate(told)
    return dict(told)


def judge(*more: str, file: str = "eval.yaml", runs: str = "runs.jsonl") -> tuple[int, str]:
    return status_of([file, "--runs", runs, *WRITTEN, *more])


def test_0_if_the_gates_pass() -> None:
    assert judge("--gate")[0] == 0
    assert (report()["status"], report()["exit_code"], written()) == ("passed", 0, FILES)


def test_0_whatever_the_scores_without_gate() -> None:
    write_runs(Path("runs.jsonl"), [0.1, {"error": 1}])
    assert judge()[0] == 0
    assert report()["exit_code"] == 0


def test_1_if_a_gate_fails_and_the_log_says_why() -> None:
    write_runs(Path("runs.jsonl"), [0.1, 0.2, 0.9])
    status, said = judge("--gate")
    assert (status, report()["status"], written()) == (1, "failed", FILES)
    assert "failed: good: pass_rate 0.3333 is below 0.5" in said
    assert f"{1:032x}: good failed: 0.1 of nothing expected" in said
    assert 'agent planner: output {"score": 0.1}' in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE.replace("min:", "mni:"), "spanloom: eval.yaml: line 5: gates.0.mni: it is no key"),
        (
            FILE.replace("score: good", "score: goood"),
            "eval.yaml: line 5: gates.0.score: no evalua",
        ),
        (FILE.replace("stub", "stab"), "spanloom: eval.yaml: line 3: evaluators.0.kind:"),
        (
            FILE.replace("min: 0.5", "no_worse_than: no/base.json"),
            "line 5: gates.0.no_worse_than: no/base.json: there is no such file",
        ),
        ("\x00", "spanloom: eval.yaml: line 1: the text: it is no YAML"),
    ],
)
def test_2_for_a_fault_of_the_file_and_then_nothing_is_written(text: str, said: str) -> None:
    Path("eval.yaml").write_text(text)
    status, error = judge("--gate")
    assert (status, written()) == (2, [])
    assert said in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["no.yaml", "--runs", "runs.jsonl"],
        ["eval.yaml"],
        ["eval.yaml", "--runs", "no.jsonl"],
        ["eval.yaml", "--runs", "runs.jsonl", "--items", "no.jsonl"],
        ["eval.yaml", "--runs", "runs.jsonl", "--dataset", "trips@x"],
        ["eval.yaml", "--runs", "runs.jsonl", "--dataset", "t@1", "--items", "items.jsonl"],
        ["eval.yaml", "--runs", "runs.jsonl", "--json", "no/out.json"],
        ["eval.yaml", "--runs", "runs.jsonl", "--json", "runs.jsonl"],
        ["eval.yaml", "--runs", "runs.jsonl", "--json", "out.x", "--junit", "out.x"],
        ["eval.yaml", "--runs", "runs.jsonl", "--format", "fromat"],
        ["eval.yaml", "--runs", "eval.yaml", "--format", "parquet"],
    ],
)
def test_2_for_what_cannot_be_asked(arguments: list[str]) -> None:
    status, said = status_of([*arguments, *NOWHERE])
    assert (status, written()) == (2, [])
    assert said.startswith("spanloom: ")


def test_2_comes_before_3_and_3_before_1() -> None:
    write_runs(Path("runs.jsonl"), [0.1, {"error": 1}])
    assert judge("--gate")[0] == 3
    Path("eval.yaml").write_text(FILE + "max_errors: 1\n")
    assert judge("--gate")[0] == 1
    Path("eval.yaml").write_text(FILE + "max_errors: x\n")
    assert judge("--gate")[0] == 2


@pytest.mark.parametrize(
    ("values", "more"),
    [([{"error": 1}], ""), ([{"na": 1}], ""), ([0.9], "min_items: 2\n"), ([], "")],
)
def test_3_if_nothing_is_decided(values: list[object], more: str) -> None:
    Path("eval.yaml").write_text(FILE + more)
    write_runs(Path("runs.jsonl"), values)
    assert judge("--gate")[0] == 3
    assert (report()["status"], written()) == ("undecided", FILES)


def test_3_for_an_interval_that_holds_the_limit_where_proof_is_needed() -> None:
    assert judge("--gate", "--require-proof")[0] == 3
    assert "holds the limit" in report()["gates"][0]["reason"]


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make clients retry at once, without a pause."""
    monkeypatch.setattr(Tries, "pause_s", lambda *_: None)


@pytest.mark.usefixtures("no_pauses")
def test_3_if_no_service_answers_with_gate_or_without() -> None:
    Path("eval.yaml").write_text(FILE + "runs: {limit: 5}\n")
    for more in ([], ["--gate"]):
        status, said = status_of(["eval.yaml", *WRITTEN, *NOWHERE, *more])
        assert (status, report()["exit_code"], written()) == (3, 3, FILES)
        assert "nothing answers at http://127.0.0.1:9; start it with `spanloom serve`" in said


@pytest.mark.usefixtures("no_pauses")
def test_3_if_no_service_has_the_dataset() -> None:
    status, said = judge("--dataset", "trips@1", *NOWHERE)
    assert (status, report()["exit_code"]) == (3, 3)
    assert "nothing answers at http://127.0.0.1:9" in said


@pytest.mark.usefixtures("no_pauses")
def test_3_if_the_results_cannot_be_sent() -> None:
    status, said = judge("--send", *NOWHERE)
    assert (status, report()["exit_code"]) == (3, 3)
    assert "the scores were not sent: nothing answers" in said


def test_what_a_service_refuses_is_3_and_a_bad_question_2(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("eval.yaml").write_text(FILE + "runs: {project: p}\n")
    for error, code in (
        (ForbiddenError(403, "", "not you"), 3),
        (InvalidParameterError(422, "", "?"), 2),
    ):

        def refuse(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(eval_judging, "stored_runs", refuse)
        assert status_of(["eval.yaml", "--gate"])[0] == code


def test_130_after_an_interrupt_with_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    take = Judgement.take

    def take_two(self: Judgement, run: Any) -> None:
        if self.runs == 2:
            raise KeyboardInterrupt
        take(self, run)

    monkeypatch.setattr(Judgement, "take", take_two)
    assert judge("--gate")[0] == 130
    told = report()
    assert (told["exit_code"], told["status"], told["runs"], written()) == (
        130,
        "undecided",
        2,
        FILES,
    )


def test_a_report_is_the_same_bytes_and_so_are_the_other_files() -> None:
    judge("--gate")
    first = [Path(name).read_bytes() for name in FILES]
    judge("--gate")
    assert [Path(name).read_bytes() for name in FILES] == first
    (suite,) = JUnitXml.fromfile("out.xml")
    assert (suite.tests, suite.failures) == (3, 1)


def test_in_a_pipe_the_report_is_a_line() -> None:
    said = run_command(["eval", "run", "eval.yaml", "--runs", "runs.jsonl", "--json", "out.json"])
    line = said.split("\n")[1]
    assert orjson.loads(line) == report()


def test_for_people_it_is_a_table() -> None:
    said = run_command(["eval", "run", "eval.yaml", "--runs", "runs.jsonl", "--output", "table"])
    assert "good pass_rate  passed   pass_rate 0.6667 is at least 0.5" in said
    assert "trips: 3 runs, 3 items: passed" in said


def test_items_are_what_is_expected() -> None:
    items = [
        {"item_key": "a", "expected": {"response": "Oslo"}, "source": {"trace_id": f"{1:032x}"}},
        {"item_key": "b"},
    ]
    Path("items.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in items) + "{\n[]\n")
    judge("--items", "items.jsonl")
    rows = {row["item"]: row for row in report()["results"]}
    assert rows["a"]["rationale"] == "0.1 of Oslo"
    assert rows["b"]["error_code"] == "missing_run"
    assert rows["items: line 3"]["error_code"] == "unreadable_expected"
    assert set(rows) == {"a", "b", "items: line 3", "items: line 4", f"{2:032x}", f"{3:032x}"}


def test_items_of_which_none_can_be_read_are_refused() -> None:
    Path("items.jsonl").write_text("{\n[]\n")
    status, said = judge("--items", "items.jsonl")
    assert (status, "--items items.jsonl: line 1: " in said) == (2, True)


def test_a_run_that_cannot_be_read_is_an_error_under_its_place() -> None:
    with Path("runs.jsonl").open("a") as file:
        file.write('{"br\n')
    assert judge("--gate")[0] == 3
    assert report()["results"][-1]["item"] == "runs: line 4"


def test_files_of_spans_are_judged_too() -> None:
    Path("eval.yaml").write_text("evaluators: [{kind: rules, rules: {max_tool_calls: 90}}]\n")
    Path("runs.jsonl").write_text(json.dumps(planner()) + "\n")
    run_command(["convert", "--to", "otlp", "-o", "spans.json", "runs.jsonl"])
    assert judge("--gate", runs="spans.json")[0] == 0
    assert [row["trace_id"] for row in report()["results"]] == [planner()["id"]]


def test_odd_documents_do_not_stop_their_neighbours() -> None:
    with Path("runs.jsonl").open("a") as file:
        for odd in ({"basic_info": 3}, {"output": 7, "id": []}, {"name": {"a": 1}}):
            document = run_document(7, {"score": 1})
            document["root_step"] |= odd
            document["id"] = f"{len(odd):032x}"
            file.write(f"{json.dumps(document)}\n")
        file.write(json.dumps({**run_document(8, 1), "agent_steps": [3, None]}) + "\n")
    status, _ = judge()
    assert status == 0
    assert f"{3:032x}" in {row["item"] for row in report()["results"]}


NOTHING = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}


def test_a_dry_run_says_what_would_be_judged() -> None:
    said = run_command(["eval", "run", "eval.yaml", "--runs", "runs.jsonl", "--dry-run", *WRITTEN])
    assert orjson.loads(said.split("\n")[1]) == {
        "name": "trips",
        "runs": 3,
        "items": 0,
        "evaluators": ["good"],
        "scores": ["good"],
        "gates": 1,
        **NOTHING,
    }
    assert written() == []


def test_a_dry_run_estimates_what_judges_would_cost() -> None:
    priced = {"kind": "judge", "model": "openai-chat:gpt-4o-mini", "criteria": "Good?", "votes": 3}
    unknown = {**priced, "name": "own", "model": "openai-chat:own"}
    Path("judged.json").write_bytes(orjson.dumps({"evaluators": [priced]}))
    Path("unknown.json").write_bytes(orjson.dumps({"evaluators": [priced, unknown]}))
    one, both = (
        orjson.loads(
            run_command(["eval", "run", file, "--runs", "runs.jsonl", "--dry-run"]).split("\n")[1]
        )
        for file in ("judged.json", "unknown.json")
    )
    assert (one["calls"], one["output_tokens"]) == (9, 9_000)
    assert 0.005 < one["cost_usd"] < 0.01
    assert (both["calls"], both["cost_usd"]) == (18, None)


def test_a_gate_compares_with_an_earlier_report() -> None:
    judge()
    Path("out.json").rename("base.json")
    Path("eval.yaml").write_text(FILE.replace("min: 0.5", "no_worse_than: base.json"))
    assert judge("--gate")[0] == 0
    write_runs(Path("runs.jsonl"), [0.1, 0.1, 0.1])
    assert judge("--gate")[0] == 1


def test_code_runs_only_where_it_is_allowed() -> None:
    Path("own").mkdir()
    Path("own/check.py").write_text("def evaluate(document, expected):\n    return True\n")
    Path("own/eval.yaml").write_text("evaluators: [{name: own, kind: python, file: check.py}]\n")
    status, said = judge(file="own/eval.yaml")
    assert (status, "--allow-code" in said) == (2, True)
    Path("own/check.py").unlink()
    status, said = judge("--allow-code", file="own/eval.yaml")
    assert (status, "line 1: evaluators.0.file: own/check.py cannot be read" in said) == (2, True)


def test_compare_says_what_differs() -> None:
    judge()
    Path("out.json").rename("a.json")
    write_runs(Path("runs.jsonl"), [0.9, 0.9])
    judge()
    said = run_command(["eval", "compare", "a.json", "out.json", "--json", "c.json"])
    compared = orjson.loads(said.split("\n")[1])
    assert compared == orjson.loads(Path("c.json").read_bytes())
    assert (compared["common"], compared["only_a"], compared["only_b"]) == (2, [f"{3:032x}"], [])
    assert "2 common items, 1 only in A" in run_command(
        ["eval", "compare", "a.json", "out.json", "--output", "table"]
    )
    for bad in ("runs.jsonl", "no/experiment"):
        assert "--- exit status 2" in run_command(["eval", "compare", "a.json", bad])


@pytest.mark.parametrize("subject", ["report", "compare", "file", "item"])
def test_schemas_are_printed(subject: str) -> None:
    said = run_command(["eval", "schema", "--of", subject]).partition("\n")[2]
    jsonschema.Draft202012Validator.check_schema(orjson.loads(said))
